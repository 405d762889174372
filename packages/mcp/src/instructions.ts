import type { PwpoolConfig } from '@pwpool/core';
import { mayUse } from '@pwpool/core/first-answers';
import type { Principal } from '@pwpool/core/internal';

/**
 * What the model is told of the server as a whole: under 1,500 characters, and true for these pools.
 * @param client `connected`: whether a call without a session can be known to be its own
 */
export function instructionsFor(
  { pools, server }: PwpoolConfig,
  {
    connected = true,
    principal,
  }: { connected?: boolean | undefined; principal?: Principal | undefined } = {},
): string {
  const keeping = pools.filter(
    ({ name, instances }) => mayUse(principal, name) && instances.some(({ settings }) => !settings.isolated),
  );
  return [
    ...(connected ? ofConnection(server) : WITHOUT_CONNECTION),
    keeping.length === 0
      ? "Sessions never see each other's pages or logins."
      : `Sessions never see each other's pages. Pools that keep profiles (${namesOf(keeping)}) keep logins: a session there finds those of earlier ones.`,
    'Close sessions you are done with: close_session. Its save keeps their cookies, storage and page under a name; start_browser begins with them (restore), or with a copy of those of another session (from).',
    'browser_pool or browser_instance (id or alias) in place of sessionId borrows a browser for that one call; browser_pool_status lists them.',
    'browser_navigate shows its page as browser_snapshot does, with the same arguments.',
    'What is too large for an answer is linked as a resource (blob://…), to be read whole or by range.',
    'Steps that need no look at the page between them go into one browser_execute_bulk.',
    "An error's hint says what to do next: do that before you repeat a call.",
  ].join(' ');
}

function ofConnection({ sessionDefault }: PwpoolConfig['server']): string[] {
  return [
    'Browsers from a pool. You have one of your own without asking.',
    'For a second user, or for each sub-agent, call start_browser with a sessionId of your choice, and pass that with every browser tool.',
    sessionDefault === 'last'
      ? 'A call without sessionId goes to the session started last, whoever started it.'
      : 'While several sessions are open, a call without sessionId is refused (SESSION_AMBIGUOUS), unless set_current_session chose one.',
  ];
}

const WITHOUT_CONNECTION = [
  'Browsers from a pool. Call start_browser first, once for each user or sub-agent, and pass the sessionId that it returns with every browser tool.',
  'A call without sessionId has a browser for itself alone: the next call does not find its page.',
];

/** As many as the instructions have room for. */
function namesOf(pools: readonly { name: string }[]): string {
  const [shown, more] = [pools.slice(0, 5), pools.length - 5];
  return shown.map(({ name }) => name).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
