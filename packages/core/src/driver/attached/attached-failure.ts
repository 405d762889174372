import type { Endpoint } from '../../config/endpoint.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import { playwrightReason } from '../driver-errors.js';
import { withoutSecrets } from '../endpoint-secrets.js';

const CHECK_ENDPOINT =
  'Correct ENDPOINT, or start there what it names: ws:// a Playwright server, http:// a browser with a debugging port.';
const CHECK_HEALTH = 'Check that the browser there is well. START_TIMEOUT sets the limit.';
const CHECK_ACCESS = 'Set ENDPOINT_HEADERS, or what the address needs to be let in.';

/** What Playwright says of a connection that failed, which has no codes, and what that means. The first that fits. */
const FAILURES: readonly [said: RegExp, reason: string, hint: string][] = [
  [/ECONNREFUSED/, 'the connection was refused, nothing listens there', CHECK_ENDPOINT],
  [/ENOTFOUND|EAI_AGAIN/, 'no such host is known', CHECK_ENDPOINT],
  [/socket hang up|ECONNRESET/, 'the connection was closed without an answer', CHECK_ENDPOINT],
  [
    /server version: v(\S+)[\s\S]*client version: v(\S+)/,
    'its Playwright is version $1, and pwpool has $2',
    'Run a Playwright server of the same version.',
  ],
  [
    /(?:status|WebSocket error: \S+) 428\b/,
    'its Playwright is of another version (HTTP status 428)',
    'Run a Playwright server of the same version as pwpool uses.',
  ],
  [/(?:status|WebSocket error: \S+) (401|403|407)\b/, 'access was refused (HTTP status $1)', CHECK_ACCESS],
  [
    /(?:status|WebSocket error: \S+) (\d{3})\b/,
    'what answers is not a browser (HTTP status $1)',
    CHECK_ENDPOINT,
  ],
  [/is not valid JSON|Invalid URL|Malformed endpoint/, 'what answers is not a browser', CHECK_ENDPOINT],
  [/Timeout (\d+)ms exceeded/, 'no answer within $1 ms', CHECK_HEALTH],
  [
    /Executable doesn't exist/,
    'the Playwright server does not find the browser on its machine',
    'Install it there, or set EXECUTABLE_PATH to one there and start the server with --unsafe.',
  ],
];

/** The browser at the endpoint cannot be used. What is secret in the address or the headers is not told. */
export function notAttached(config: InstanceConfig, endpoint: Endpoint, error: unknown): PwpoolError {
  if (error instanceof PwpoolError) return error;
  const said = playwrightReason(error).replace(/^\w+(?:\.\w+)*: /, '');
  const [pattern, reason, hint] = FAILURES.find(([each]) => each.test(said)) ?? [];
  const told = pattern && reason ? pattern.exec(said)?.[0].replace(pattern, reason) : undefined;
  return unreachable(config, endpoint, told ?? withoutSecrets(said, config.settings), hint);
}

/** No answer from the endpoint in time. */
export function noAnswer(config: InstanceConfig, endpoint: Endpoint, timeoutMs: number): PwpoolError {
  return unreachable(config, endpoint, `no answer within ${timeoutMs} ms`, CHECK_HEALTH);
}

function unreachable(
  { pool, id }: InstanceConfig,
  { label }: Endpoint,
  reason: string,
  hint = 'Check what runs at ENDPOINT.',
): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The browser at ${label} cannot be used for instance '${id}' of pool '${pool}': ${reason}.`,
    // Without the cause, which has the address in full.
    { hint, details: { pool, instance: id, endpoint: label } },
  );
}
