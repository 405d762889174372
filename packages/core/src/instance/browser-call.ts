import type { Clock } from '../clock.js';
import type { InstanceSettings } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError } from '../errors.js';
import { failureOf, presentFailure } from '../upstream/failure.js';
import { traitsOf } from '../upstream/tool-table.js';
import { cancelled } from '../waiting/abort.js';
import { withDeadline } from '../waiting/deadline.js';
import { callTimedOut, callTimeout, pageClosed } from './call-deadline.js';

/** Milliseconds that pages have to answer a trivial question. */
const ANSWER_MS = 1_000;

export interface BrowserCall {
  tool: string;
  args: ToolArguments;
  /** Any of them ends the call. */
  signals: readonly (AbortSignal | undefined)[];
  settings: InstanceSettings;
  clock: Clock;
  /** Whether the browser is still the one in use: one that is not needs no mending. */
  inUse: () => boolean;
  /** Closes the browser itself, where `browser_close` does that; `undefined` where it only gives clean pages. */
  closeBrowser: (() => Promise<void>) | undefined;
  /** The call is over: the tool has answered, with `isError` if it says that it failed, or there is an `error` instead. */
  onEnd: (elapsedMs: number, error: unknown, isError: boolean) => void;
}

/**
 * Runs one tool on a browser, within the deadline that the configuration sets for it.
 *
 * A call that is given up leaves the browser usable: what blocks the page is stopped before this returns.
 * @throws PwpoolError `NAVIGATION_TIMEOUT`, `CALL_TIMEOUT`, `INSTANCE_CRASHED`, `CANCELLED`, or the PwpoolError that a
 *   signal was aborted with
 */
export async function callBrowser(handle: BrowserHandle, call: BrowserCall): Promise<ToolResult> {
  const { clock, onEnd } = call;
  const begunAt = clock.now();
  try {
    const result = await runTool(handle, call);
    onEnd(clock.now() - begunAt, undefined, result.isError ?? false);
    return result;
  } catch (error) {
    onEnd(clock.now() - begunAt, error, false);
    throw error;
  }
}

async function runTool(handle: BrowserHandle, call: BrowserCall): Promise<ToolResult> {
  const { tool, args, clock } = call;
  if (traitsOf(tool)?.closesPages) return await closePages(handle, call);
  const timeoutMs = callTimeout(tool, args, call.settings);
  const onTimeout = () => callTimedOut(tool, args, timeoutMs);
  const signals = [...call.signals, handle.lost];
  let result: ToolResult;
  let stop: AbortSignal | undefined;
  try {
    result = await withDeadline({ clock, timeoutMs, signals, onTimeout }, tool, (signal) => {
      stop = signal;
      return handle.callTool(tool, args, signal);
    });
  } catch (error) {
    // A call that was refused, or never begun, has done nothing to the pages.
    if (!stop?.aborted || !call.inUse() || !(await handle.unblock())) throw error;
    throw pageClosed(error);
  }
  if (result.isError) {
    // The tool may have failed for the lack of a browser, an instant before the driver is told.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (handle.lost.aborted) throw handle.lost.reason;
    const failed = presentFailure(tool, args, result, handle.currentPage?.url());
    // A script without end holds an action up until it times out, and then whatever else is asked of the page.
    const failure = failureOf(failed);
    if (failure?.code !== 'CALL_TIMEOUT' || !traitsOf(tool)?.acts) return failed;
    if ((await answers(handle, clock)) || !call.inUse() || !(await handle.unblock())) return failed;
    throw pageClosed(new PwpoolError(failure.code, failure.message));
  }
  return result;
}

/** Whether the pages answer, which takes them no time unless a script holds them up. */
async function answers(handle: BrowserHandle, clock: Clock): Promise<boolean> {
  const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'The page does not answer.');
  try {
    await withDeadline({ clock, timeoutMs: ANSWER_MS, onTimeout }, 'probe', () => handle.inspect());
    return true;
  } catch {
    return false;
  }
}

/** What `browser_close` answers. */
export const NO_OPEN_TABS: ToolResult = {
  content: [{ type: 'text', text: '### Result\nNo open tabs. Navigate to a URL to create one.' }],
};

/**
 * Upstream's `browser_close` closes nothing of a context that it was given, and is of no use afterwards.
 *
 * A caller who leaves waits for its end all the same: it is not to come upon the pages of the next holder.
 */
async function closePages(
  handle: BrowserHandle,
  { tool, args, signals, settings, clock, closeBrowser }: BrowserCall,
): Promise<ToolResult> {
  for (const signal of signals) if (signal?.aborted) throw cancelled(signal, tool);
  const timeoutMs = callTimeout(tool, args, settings);
  const onTimeout = () => callTimedOut(tool, args, timeoutMs);
  const deadline = { clock, timeoutMs, signals: [handle.lost], onTimeout };
  await withDeadline(deadline, tool, closeBrowser ?? ((signal) => handle.reset(signal)));
  return NO_OPEN_TABS;
}
