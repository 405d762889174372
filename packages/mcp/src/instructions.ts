import type { PwpoolConfig } from '@pwpool/core';

/** What the model is told of the server as a whole: under 1,500 characters, and true for these pools. */
export function instructionsFor({ pools, server }: PwpoolConfig): string {
  const keeping = pools.filter(({ instances }) => instances.some(({ settings }) => !settings.isolated));
  return [
    'Browsers from a pool. You have one of your own without asking.',
    'For a second user, or for each sub-agent, call start_browser with a sessionId of your choice, and pass that with every browser tool.',
    server.sessionDefault === 'last'
      ? 'A call without sessionId goes to the session started last, whoever started it.'
      : 'While several sessions are open, a call without sessionId is refused (SESSION_AMBIGUOUS), unless set_current_session chose one.',
    keeping.length === 0
      ? "Sessions never see each other's pages or logins."
      : `Sessions never see each other's pages. Pools that keep profiles (${namesOf(keeping)}) keep logins: a session there finds those of earlier ones.`,
    "Close sessions you are done with. An error's hint says what to do next.",
  ].join(' ');
}

/** As many as the instructions have room for. */
function namesOf(pools: readonly { name: string }[]): string {
  const [shown, more] = [pools.slice(0, 5), pools.length - 5];
  return shown.map(({ name }) => name).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
