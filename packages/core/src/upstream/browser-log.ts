/**
 * Playwright's own names for its log of browser processes and of a lost browser, as `DEBUG` has them. What it writes
 * there, to stderr, is the only news of the browser that a tool server gives.
 */
export const BROWSER_LOG = 'pw:browser,pw:mcp:backend';

/** Lines of the browser itself have `[err]` or `[out]`. */
const LOG_LINE = /^\S+ pw:(browser|mcp:backend) (?:\[pid=(\d+)\])? ?(.*)$/;

export type BrowserNews =
  | { event: 'launched' | 'exited'; processId: number }
  /** The tool server has lost its browser. */
  | { event: 'disconnected' }
  /** A line of the log that tells none of these. */
  | { event: 'other' };

/** What a line of stderr tells; `undefined` for one that is not of this log. */
export function readBrowserLog(line: string): BrowserNews | undefined {
  const [, log, processId, text = ''] = LOG_LINE.exec(line) ?? [];
  if (log === undefined) return undefined;
  if (log === 'mcp:backend') return { event: text === 'browser disconnected' ? 'disconnected' : 'other' };
  const launched = /^<launched> pid=(\d+)$/.exec(text)?.[1];
  if (processId === undefined && launched !== undefined) {
    return { event: 'launched', processId: Number(launched) };
  }
  if (processId !== undefined && text.startsWith('<process did exit')) {
    return { event: 'exited', processId: Number(processId) };
  }
  return { event: 'other' };
}
