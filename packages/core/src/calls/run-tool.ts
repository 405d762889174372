import type { Artifacts } from '../artifacts/artifacts.js';
import { fitAnswer } from '../artifacts/fit-texts.js';
import { keepBinaries, type Reader } from '../artifacts/keep-binaries.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { Lease } from '../pool/lease.js';
import type { SessionBrowser } from '../session/session.js';
import type { SiteLimits } from '../sites/site-limits.js';
import type { SnapshotViews } from '../snapshot/snapshot-views.js';
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

/** Where what is too large for an answer goes. */
export interface Keeping {
  artifacts: Artifacts;
  reader: Reader;
  /** Bytes that the text of the answer may have; no limit if left out. */
  maxTextBytes?: number | undefined;
}

/** What a call passes on its way to the tool and back. */
export interface Stages {
  /** Default: no limits. */
  sites?: SiteTurns | undefined;
  /** How the caller is shown the pages that it visits. Default: as the tool answers. */
  snapshots?: SnapshotViews | undefined;
  /** Default: all is in the answer. */
  keeping?: Keeping | undefined;
}

/**
 * Runs a tool on a lease that its caller has, as `runTool`. Never rejects: every failure is an answer.
 */
export async function callOn(lease: Lease, call: ToolCall, stages: Stages): Promise<CallAnswer> {
  try {
    return answered(await runTool(lease, call, stages));
  } catch (error) {
    return failed(error, lease.pageUrl());
  }
}

/**
 * Runs a tool in a browser, once the site that it opens lets it: the turn there is waited for no longer than the browser is
 * the caller's, and ends with the call.
 * @throws PwpoolError as `SnapshotViews.run`, `SiteLimits.enter` and `Lease.callTool`
 */
export async function runTool(
  browser: SessionBrowser,
  { tool, args, signal }: ToolCall,
  { sites, snapshots, keeping }: Stages,
): Promise<ToolResult> {
  const either = signal ? AbortSignal.any([signal, browser.ended]) : browser.ended;
  const run = async (name: string, given: ToolArguments) => {
    const url = openedAddress(name, given);
    using _turn =
      url === undefined
        ? undefined
        : await sites?.limits.enter(url, { timeoutMs: sites.timeoutMs, signal: either });
    return await browser.callTool(name, given, signal ? { signal } : {});
  };
  const { settings } = browser.config;
  const result = snapshots ? await snapshots.run(tool, args, settings, run) : await run(tool, args);
  return keeping ? await keepArtifacts(result, tool, browser, keeping) : result;
}

/** The answer with links to what is too large for it. */
async function keepArtifacts(
  result: ToolResult,
  tool: string,
  browser: SessionBrowser,
  { artifacts, reader, maxTextBytes: limit }: Keeping,
): Promise<ToolResult> {
  const kept = await keepBinaries(result, { artifacts, reader, browser, tool });
  return limit === undefined
    ? kept
    : await fitAnswer(kept, { artifacts, reader, pool: browser.pool, name: tool, limit });
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
