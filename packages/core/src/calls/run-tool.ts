import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { Lease } from '../pool/lease.js';
import type { SessionBrowser } from '../session/session.js';
import type { SiteLimits } from '../sites/site-limits.js';
import { openedAddress } from '../upstream/tool-table.js';
import { answered, type CallAnswer, failed } from './call-answer.js';

/** A tool to run, with arguments that it takes. */
export interface ToolCall {
  tool: string;
  args: ToolArguments;
  signal?: AbortSignal | undefined;
}

/** The limits that navigations keep. */
export interface SiteTurns {
  limits: SiteLimits;
  /** Milliseconds that a call waits for its turn at most. Default: as `SiteLimits` has it. */
  timeoutMs?: number | undefined;
}

/**
 * Runs a tool on a lease that its caller has, as `runTool`. Never rejects: every failure is an answer.
 */
export async function callOn(lease: Lease, call: ToolCall, sites?: SiteTurns): Promise<CallAnswer> {
  try {
    return answered(await runTool(lease, call, sites));
  } catch (error) {
    return failed(error, lease.pageUrl());
  }
}

/**
 * Runs a tool in a browser, once the site that it opens lets it: the turn there is waited for no longer than the browser is
 * the caller's, and ends with the call.
 * @throws PwpoolError as `SiteLimits.enter` and `Lease.callTool`
 */
export async function runTool(
  browser: SessionBrowser,
  { tool, args, signal }: ToolCall,
  sites: SiteTurns | undefined,
): Promise<ToolResult> {
  const either = signal ? AbortSignal.any([signal, browser.ended]) : browser.ended;
  const url = openedAddress(tool, args);
  using _turn =
    url === undefined
      ? undefined
      : await sites?.limits.enter(url, { timeoutMs: sites.timeoutMs, signal: either });
  return await browser.callTool(tool, args, signal ? { signal } : {});
}

/**
 * For a call that has no browser yet: waits until it is worth leasing one for the site that it opens. What it gives is
 * disposed of after the call.
 * @throws PwpoolError as `SiteLimits.admit`
 */
export async function admission(
  { tool, args, signal }: ToolCall,
  sites: SiteTurns | undefined,
): Promise<Disposable | undefined> {
  const url = openedAddress(tool, args);
  return url === undefined
    ? undefined
    : await sites?.limits.admit(url, { timeoutMs: sites.timeoutMs, signal });
}
