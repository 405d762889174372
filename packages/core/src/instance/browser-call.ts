import type { Clock } from '../clock.js';
import type { InstanceSettings } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError } from '../errors.js';
import { redactedUrl } from '../upstream/evidence/redaction.js';
import { presentFailure, readFailure } from '../upstream/failure.js';
import type { FailureKind } from '../upstream/failure-code.js';
import { refusalKind } from '../upstream/references/reference-refusal.js';
import { traitsOf } from '../upstream/tool-table.js';
import { cancelled } from '../waiting/abort.js';
import { withDeadline, within } from '../waiting/deadline.js';
import { callTimedOut, callTimeout, pageClosed } from './call-deadline.js';

/** Milliseconds that pages have to answer a trivial question. */
const ANSWER_MS = 1_000;

/** Milliseconds that a look at the page may take after a failure. */
const LOOK_MS = 5_000;

export interface BrowserCall {
  tool: string;
  args: ToolArguments;
  /** Any of them ends the call. */
  signals: readonly (AbortSignal | undefined)[];
  settings: InstanceSettings;
  clock: Clock;
  /** Whether the browser is still the one in use: one that is not needs no mending. */
  inUse: () => boolean;
  /** Closes the browser itself. */
  closeBrowser: () => Promise<void>;
  /**
   * The call is over: the tool has answered, with `isError` if it says that it failed, or there is an `error` instead.
   */
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
    const refusal = refusalKind(error);
    if (refusal) throw errorOf(await explained(handle, call, refusal));
    // A call that was refused, or never begun, has done nothing to the pages.
    if (!stop?.aborted || !call.inUse() || !(await handle.unblock())) throw error;
    throw pageClosed(error);
  }
  if (result.isError) {
    // The tool may have failed for the lack of a browser, an instant before the driver is told.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (handle.lost.aborted) throw handle.lost.reason;
    const read = readFailure(tool, args, result);
    // A script without end holds an action up until it times out, and then whatever else is asked of the page.
    const mayHang = read.kind.code === 'CALL_TIMEOUT' && traitsOf(tool)?.acts;
    if (mayHang && !(await answers(handle, clock)) && call.inUse() && (await handle.unblock()))
      throw pageClosed(errorOf(read.kind));
    const kind = await explained(handle, call, read.kind);
    return presentFailure(result, { ...read, kind }, redactedUrl(handle.currentPage?.url(), call.settings));
  }
  return result;
}

/** A failure with what the page tells of it, where there is something to tell and the page answers. */
async function explained(handle: BrowserHandle, call: BrowserCall, kind: FailureKind): Promise<FailureKind> {
  if (kind.look === undefined) return kind;
  const { tool, args, clock, signals } = call;
  const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'The page does not answer.');
  const deadline = { clock, timeoutMs: LOOK_MS, signals: [...signals, handle.lost], onTimeout };
  try {
    return await withDeadline(deadline, tool, async () => await handle.explain(args, kind));
  } catch {
    return kind;
  }
}

function errorOf({ code, message, hint, details }: FailureKind): PwpoolError {
  return new PwpoolError(code, message, { hint, details });
}

/** Whether the pages answer, which takes them no time unless a script holds them up. */
async function answers(handle: BrowserHandle, clock: Clock): Promise<boolean> {
  const inspect = async () => {
    await handle.inspect();
    return true;
  };
  return await within(clock, ANSWER_MS, inspect, false);
}

/** What `browser_close` answers with upstream's tools. */
export const NO_OPEN_TABS: ToolResult = {
  content: [{ type: 'text', text: '### Result\nNo open tabs. Navigate to a URL to create one.' }],
};

/**
 * Upstream's `browser_close` closes nothing of a context that it was given, and is of no use afterwards. A browser of
 * pwpool's own with a profile on disk is closed, which frees the profile; any other gets clean pages.
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
  const closes = handle.owned && !settings.isolated;
  await withDeadline(deadline, tool, (signal) => (closes ? closeBrowser() : handle.reset(signal)));
  return handle.closedAnswer ?? NO_OPEN_TABS;
}
