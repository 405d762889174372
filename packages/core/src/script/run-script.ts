import { randomUUID } from 'node:crypto';
import type { CallAnswer } from '../calls/call-answer.js';
import { runTool, type Stages, type ToolCall } from '../calls/run-tool.js';
import { type Clock, systemClock } from '../clock.js';
import type { ToolResult } from '../connection/tool-connection.js';
import type { Lease } from '../pool/lease.js';
import type { SiteLimits } from '../sites/site-limits.js';
import { SnapshotCache } from '../snapshot/snapshot-cache.js';
import { SnapshotViews } from '../snapshot/snapshot-views.js';
import type { Toolset } from '../toolset/toolset.js';
import { runSteps } from './run-steps.js';
import type { ScriptStep } from './script.js';

export interface StepReport {
  /** Position in the script, from 1. */
  step: number;
  tool: string;
  success: boolean;
  /** The tool's answer; absent when there is none. */
  content?: ToolResult['content'];
  error?: { code: string; message: string; hint?: string };
}

export interface ScriptReport {
  success: boolean;
  /** The steps that were run: all, or those up to the first that failed. */
  steps: StepReport[];
}

export interface RunScriptOptions {
  signal?: AbortSignal;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
  /** Milliseconds that a step may wait for its turn at a site. Default: 60 000. */
  siteTimeoutMs?: number | undefined;
  /** Checks arguments once what their references stand for is known. */
  toolset?: Toolset | undefined;
  /** What `{{env.NAME}}` finds. Default: nothing. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: the system's. */
  clock?: Clock | undefined;
}

/** Runs the steps in order on one lease, up to the first that fails. A failure is in the report, not thrown. */
export async function runScript(
  steps: readonly ScriptStep[],
  lease: Lease,
  options: RunScriptOptions = {},
): Promise<ScriptReport> {
  const { signal, sites, siteTimeoutMs, clock = systemClock, toolset, env = {} } = options;
  const stages = stagesOf({ clock, toolset, sites, siteTimeoutMs });
  const browser = {
    ended: lease.ended,
    call: (call: ToolCall) => runTool(lease, call, stages),
    pageUrl: () => lease.pageUrl(),
  };
  const { calls, failure } = await runSteps(steps, { browser, clock, toolset, names: { env }, signal });
  const reports = calls.map(({ index, step, answer }) => ({ step: index + 1, ...report(step.tool, answer) }));
  return { success: failure === undefined, steps: reports };
}

/** What the calls of a script pass. */
export interface StagesParts {
  clock: Clock;
  toolset?: Toolset | undefined;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
  /** Milliseconds that a step may wait for its turn at a site. */
  siteTimeoutMs?: number | undefined;
}

/** Turns at sites, and pages as an agent is shown them, in full. */
export function stagesOf({ clock, toolset, sites: limits, siteTimeoutMs: timeoutMs }: StagesParts): Stages {
  const holder = { id: randomUUID(), hasPage: true, unattended: true };
  return {
    sites: limits && { limits, timeoutMs },
    // The compact tools show pages in a form of their own.
    snapshots:
      toolset?.name === 'compact'
        ? undefined
        : new SnapshotViews(new SnapshotCache(clock), holder, Number.POSITIVE_INFINITY),
  };
}

function report(tool: string, answer: CallAnswer): Omit<StepReport, 'step'> {
  if (answer.success) return { tool, success: true, content: answer.result.content };
  const { code, message, hint } = answer.error;
  return {
    tool,
    success: false,
    ...(answer.result ? { content: answer.result.content } : {}),
    error: { code, message, ...(hint === undefined ? {} : { hint }) },
  };
}
