import { answered, type CallAnswer, failed } from '../calls/call-answer.js';
import type { ToolCall } from '../calls/run-tool.js';
import type { Clock } from '../clock.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { asPwpoolError, PwpoolError } from '../errors.js';
import { factsOf } from '../toolset/command-references.js';
import type { Toolset } from '../toolset/toolset.js';
import { withDeadline } from '../waiting/deadline.js';
import { evaluate, fill, isTrue, type Scope } from './references.js';
import type { ScriptStep } from './script.js';

/** A browser as steps have it. */
export interface StepBrowser {
  /** Aborts when it is theirs no more, with the reason. */
  readonly ended: AbortSignal;
  /** Runs a tool with arguments that it takes. Throws as `runTool`. */
  call(call: ToolCall): Promise<ToolResult>;
  /** Where the page is, when there is just one and it is known. */
  pageUrl(): string | undefined;
}

/** What steps run with. */
export interface StepsRun {
  browser: StepBrowser;
  clock: Clock;
  /** Checks arguments once their references are known. Without it they are passed on as they are. */
  toolset?: Pick<Toolset, 'check'> | undefined;
  /** For references: `row`, `vars`, `env`. */
  names: Readonly<Record<string, unknown>>;
  signal?: AbortSignal | undefined;
}

/** A call that a step made. */
export interface MadeCall {
  /** Position of the step, from 0. */
  index: number;
  step: ScriptStep;
  answer: CallAnswer;
}

/** What came of steps. */
export interface StepsOutcome extends Scope {
  calls: readonly MadeCall[];
  /** What the steps ended with before all had run: the answer of the last call. */
  failure?: { index: number; step: ScriptStep; error: PwpoolError };
}

/**
 * Runs steps one after the other on a lease, up to the first that fails and is not to be passed over. Each failure is told, none
 * is thrown.
 */
export async function runSteps(steps: readonly ScriptStep[], run: StepsRun): Promise<StepsOutcome> {
  const saved: Record<string, unknown> = {};
  const names = { ...run.names, steps: saved };
  const answers: (CallAnswer | undefined)[] = [];
  const calls: MadeCall[] = [];
  for (const [index, step] of steps.entries()) {
    const found: unknown[] = [];
    let each: readonly unknown[] | undefined;
    try {
      each = turnsOf(step, { names, answers });
    } catch (thrown) {
      const error = asPwpoolError(thrown);
      calls.push({ index, step, answer: failed(error) });
      return { names, answers, calls, failure: { index, step, error } };
    }
    for (const [position, item] of (each ?? [undefined]).entries()) {
      const here = each ? { ...names, item, index: position } : names;
      const answer = await takeTurn(step, { names: here, answers }, run);
      if (answer === 'left out') continue;
      answers[index] = answer;
      calls.push({ index, step, answer });
      found.push(savedFacts(answer));
      if (!answer.success && (!step.continueOnError || run.signal?.aborted || run.browser.ended.aborted)) {
        return { names, answers, calls, failure: { index, step, error: answer.error } };
      }
    }
    if (step.saveAs !== undefined) saved[step.saveAs] = each ? found : (found[0] ?? null);
  }
  return { names, answers, calls };
}

/** What the step is run for, one call each; `undefined` for a step that runs once. */
function turnsOf({ forEach }: ScriptStep, scope: Scope): readonly unknown[] | undefined {
  if (forEach === undefined) return undefined;
  const found: unknown = typeof forEach === 'string' ? evaluate(forEach, scope.names) : fill(forEach, scope);
  if (Array.isArray(found)) return found;
  throw new PwpoolError('INVALID_ARGUMENTS', `for_each: ${JSON.stringify(forEach)} finds no list.`, {
    hint: `It found ${JSON.stringify(found ?? null).slice(0, 200)}. Write nvl(…, \`[]\`) where nothing may be found.`,
  });
}

async function takeTurn(step: ScriptStep, scope: Scope, run: StepsRun): Promise<CallAnswer | 'left out'> {
  const { browser, signal } = run;
  try {
    signal?.throwIfAborted();
    if (step.when !== undefined && !isTrue(evaluate(step.when, scope.names))) return 'left out';
    const filled = fill(step.args, scope) as ToolArguments;
    const args = run.toolset ? run.toolset.check(step.tool, filled).args : filled;
    return answered(
      await inTime(step, run, (within) => browser.call({ tool: step.tool, args, signal: within })),
    );
  } catch (error) {
    const thrown = browser.ended.aborted && !signal?.aborted ? browser.ended.reason : error;
    return failed(thrown, browser.pageUrl());
  }
}

async function inTime<T>(
  { tool, timeoutMs }: ScriptStep,
  { clock, signal }: StepsRun,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return await work(signal);
  const onTimeout = () =>
    new PwpoolError('CALL_TIMEOUT', `${tool} was not done within ${timeoutMs} ms, the timeout of its step.`, {
      hint: 'Raise the timeout of the step.',
    });
  return await withDeadline({ clock, timeoutMs, signals: [signal], onTimeout }, tool, work);
}

/** What later steps find of an answer. */
function savedFacts(answer: CallAnswer): Record<string, unknown> {
  if (answer.success) return factsOf(answer.result);
  const { code, message } = answer.error;
  return { error: { code, message } };
}
