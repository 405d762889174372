import { callOn } from '../calls/run-tool.js';
import type { ToolResult } from '../connection/tool-connection.js';
import type { Lease } from '../pool/lease.js';
import type { SiteLimits } from '../sites/site-limits.js';
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
}

/** Runs the steps in order on one lease, up to the first that fails. A failure is in the report, not thrown. */
export async function runScript(
  steps: readonly ScriptStep[],
  lease: Lease,
  options: RunScriptOptions = {},
): Promise<ScriptReport> {
  const reports: StepReport[] = [];
  for (const [index, step] of steps.entries()) {
    const report = await runStep(lease, step, options);
    reports.push({ step: index + 1, ...report });
    if (!report.success) return { success: false, steps: reports };
  }
  return { success: true, steps: reports };
}

async function runStep(
  lease: Lease,
  { tool, args }: ScriptStep,
  { signal, sites: limits, siteTimeoutMs: timeoutMs }: RunScriptOptions,
): Promise<Omit<StepReport, 'step'>> {
  const answer = await callOn(lease, { tool, args, signal }, limits && { limits, timeoutMs });
  if (answer.success) return { tool, success: true, content: answer.result.content };
  const { code, message, hint } = answer.error;
  return {
    tool,
    success: false,
    ...(answer.result ? { content: answer.result.content } : {}),
    error: { code, message, ...(hint === undefined ? {} : { hint }) },
  };
}
