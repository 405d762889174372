import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { factsOf } from '../toolset/command-references.js';
import type { Toolset } from '../toolset/toolset.js';
import { evaluate, fill, fillKnown, isTrue, type Scope, whatWasRead } from './references.js';
import type { RowBrowser } from './row-browser.js';
import { type MadeCall, runSteps, type StepsOutcome, type StepsRun } from './run-steps.js';
import type { Script, ScriptStep } from './script.js';
import type { SelectedRow } from './select-rows.js';

/** One attempt at a row. */
export interface RowTask {
  browser: RowBrowser;
  row: SelectedRow;
  /** From 1. */
  attempt: number;
  /** The folder of the row's files. It is made with the first of them. */
  files: string;
  /** Aborts when the attempt is to end: its time is over, or the run is. */
  signal: AbortSignal;
}

/** What is done with each row, and around. */
export interface RowWork {
  readonly pool?: string | undefined;
  /** As `Script.clean`. */
  readonly clean: 'row' | 'lease';
  readonly timeoutMs?: number | undefined;
  setUp?(browser: RowBrowser, signal: AbortSignal): Promise<void>;
  tearDown?(browser: RowBrowser): Promise<void>;
  /** @returns the result of the row, as JSON has it */
  run(task: RowTask): Promise<unknown>;
}

export interface StepWorkParts {
  clock: Clock;
  toolset: Toolset;
  env: Readonly<Record<string, string | undefined>>;
}

/** The steps of a script as the work on rows. */
export function stepWork(script: Script, parts: StepWorkParts): RowWork {
  const { clock, toolset, env } = parts;
  const vars = fill(script.vars, { names: { env }, answers: [] });
  const run = (browser: RowBrowser, names: StepsRun['names'], signal?: AbortSignal): StepsRun => ({
    browser,
    clock,
    toolset,
    signal,
    names: { vars, env, ...names },
  });
  const around = async (
    steps: readonly ScriptStep[],
    what: string,
    browser: RowBrowser,
    signal?: AbortSignal,
  ) => {
    const { failure } = await runSteps(steps, run(browser, {}, signal));
    if (failure) throw told(failure, what);
  };
  return {
    pool: script.pool,
    clean: script.clean,
    timeoutMs: script.timeoutMs,
    setUp: (browser, signal) => around(script.setup, 'setup, step', browser, signal),
    tearDown: (browser) => around(script.teardown, 'teardown, step', browser),
    async run({ browser, row, files, signal }) {
      const names = { row: row.value, row_number: row.number, files };
      const outcome = await runSteps(script.steps, run(browser, names, signal));
      if (outcome.failure) throw told(outcome.failure, 'Step');
      checkExpectations(script, outcome);
      return resultOf(script, outcome);
    },
  };
}

/** The calls that a row will lead to, as far as that is known before. What the environment has is not shown. */
export function previewRow(
  { steps, vars }: Script,
  row: SelectedRow,
  files: string,
): { tool: string; args: unknown }[] {
  const names = { row: row.value, row_number: row.number, vars: fillKnown(vars, {}), files };
  return steps.map(({ tool, args }) => ({ tool, args: fillKnown(args, names) }));
}

function told({ index, step, error }: NonNullable<StepsOutcome['failure']>, what: string): PwpoolError {
  const { code, message, hint, details } = error;
  return new PwpoolError(code, `${what} ${index + 1} (${step.tool}): ${message}`, {
    hint,
    details,
    cause: error,
  });
}

/** @throws PwpoolError `EXPECTATION_FAILED` with what was found */
export function checkExpectations({ expect }: Pick<Script, 'expect'>, scope: Scope): void {
  for (const { that, message } of expect) {
    if (isTrue(evaluate(that, scope.names))) continue;
    const said = message === undefined ? `Expected ${that}` : String(fill(message, scope, { lenient: true }));
    const read = whatWasRead(that, scope.names);
    throw new PwpoolError('EXPECTATION_FAILED', `${said}${read === '' ? '.' : `: ${read}.`}`, {
      hint: 'Compare it with the page: a browser_take_screenshot before the end of the steps shows it.',
    });
  }
}

function resultOf({ extract, steps }: Script, outcome: StepsOutcome): unknown {
  if (extract !== undefined) return fill(extract, outcome, { lenient: true });
  const returned = outcome.calls.filter(({ step }) => step.returnResult);
  if (returned.length === 0) return shown(outcome.calls.at(-1));
  if (returned.some(({ step }) => step.saveAs === undefined)) return returned.map(shown);
  const names = steps.flatMap(({ returnResult, saveAs }) =>
    returnResult && saveAs !== undefined ? [saveAs] : [],
  );
  const { steps: saved } = outcome.names as { steps: Record<string, unknown> };
  return Object.fromEntries(names.map((name) => [name, saved[name] ?? null]));
}

function shown(call: MadeCall | undefined): unknown {
  if (!call) return null;
  if (call.answer.success) return factsOf(call.answer.result);
  const { code, message } = call.answer.error;
  return { error: { code, message } };
}
