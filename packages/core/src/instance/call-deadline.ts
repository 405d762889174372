import type { InstanceSettings } from '../config/model.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { type ErrorCode, PwpoolError } from '../errors.js';
import { navigates, waitingTime } from '../upstream/tool-table.js';

/**
 * How long a call may take, in milliseconds: `TIMEOUT`, or for a navigation what its caller says, else
 * `TIMEOUT_NAVIGATION`; and as much more as it was asked to wait.
 */
export function callTimeout(tool: string, args: ToolArguments, settings: InstanceSettings): number {
  const { timeout: asked } = args;
  const given = typeof asked === 'number' ? asked : undefined;
  if (navigates(tool, args)) return given ?? settings.timeoutNavigation;
  return settings.timeout + (given ?? 0) + waitingTime(tool, args);
}

export function callTimedOut(tool: string, args: ToolArguments, timeoutMs: number): PwpoolError {
  if (!navigates(tool, args)) {
    return new PwpoolError(
      'CALL_TIMEOUT',
      `${tool} did not finish within ${timeoutMs} ms and was given up.`,
      {
        hint: 'What it did to the page may have happened: take a snapshot before you go on. Whoever runs pwpool can raise TIMEOUT.',
        details: { tool, timeoutMs },
      },
    );
  }
  const target = typeof args['url'] === 'string' ? ` of ${args['url']}` : '';
  const longer =
    args['timeout'] === undefined
      ? 'Whoever runs pwpool can raise TIMEOUT_NAVIGATION.'
      : 'Or pass a longer timeout.';
  return new PwpoolError(
    'NAVIGATION_TIMEOUT',
    `The navigation${target} did not finish within ${timeoutMs} ms.`,
    {
      hint: `The page was stopped and the browser can be used. Check that the server answers. ${longer}`,
      details: { tool, timeoutMs },
    },
  );
}

/** Errors after which the caller still has the browser. */
const CALL_ENDED: ReadonlySet<ErrorCode> = new Set(['CALL_TIMEOUT', 'NAVIGATION_TIMEOUT', 'CANCELLED']);

/** The error of a call that was given up, told with what it took to make the browser usable again. */
export function pageClosed(error: unknown): unknown {
  if (!(error instanceof PwpoolError) || !CALL_ENDED.has(error.code)) return error;
  return new PwpoolError(error.code, `${error.message} The page no longer answered and was closed.`, {
    hint: 'Navigate again: the browser and its logins are kept, the page is lost.',
    details: { ...error.details, pageClosed: true },
    cause: error,
  });
}
