import type * as z from 'zod';
import type { ServerSettings } from '../config/model.js';
import { nearest } from '../config/suggest.js';
import { YamlFile } from '../config/yaml-file.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { describeIgnored } from '../toolset/argument-check.js';
import type { Toolset } from '../toolset/toolset.js';
import {
  bareExpression,
  columnsOf,
  columnsRead,
  faultsOfExpression,
  faultsOfTemplate,
  hasTemplate,
  type KnownNames,
} from './references.js';
import { scriptSchema, stepListSchema, type WrittenScript, type WrittenStep } from './script-schema.js';

/** One call of a browser tool, or several. */
export interface ScriptStep {
  tool: string;
  /** With the references in its texts. */
  args: ToolArguments;
  saveAs?: string | undefined;
  returnResult?: boolean | undefined;
  /** An expression: the step is left out unless it is true. */
  when?: string | undefined;
  /** An expression, or the values themselves. */
  forEach?: string | readonly unknown[] | undefined;
  timeoutMs?: number | undefined;
  /** Go on with the next step when it fails. Default false. */
  continueOnError?: boolean | undefined;
}

export interface Expectation {
  /** An expression. */
  that: string;
  message?: string | undefined;
}

export interface Script {
  /** Name of the file, for messages. */
  name: string;
  /** Whether it is a mere list of steps. */
  isList: boolean;
  pool?: string | undefined;
  clean: 'row' | 'lease';
  /** For an attempt at a row. */
  timeoutMs?: number | undefined;
  vars: Readonly<Record<string, unknown>>;
  setup: readonly ScriptStep[];
  steps: readonly ScriptStep[];
  teardown: readonly ScriptStep[];
  expect: readonly Expectation[];
  /** The result of a row, with the references in its texts; absent: what the steps with `return_result` answered. */
  extract?: unknown;
  /** The columns that rows need, each with the place that needs it. */
  columns: readonly NeededColumn[];
  /** Steps with arguments that their tool does not know, and which are of no effect. */
  warnings: readonly string[];
}

export interface NeededColumn {
  column: string;
  /** `file:line:column`. */
  place: string;
}

export interface ParseScriptOptions {
  /** What `{{env.NAME}}` finds. Default: nothing. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether there will be rows of data. Default false: `{{row.…}}` is a fault. */
  hasRows?: boolean | undefined;
}

/**
 * Reads a script, YAML or JSON: a mapping with `steps`, or a mere list of steps, each `{ tool, args }`. All of it is checked, so that
 * a faulty script is refused before a browser is started: tools, arguments, expressions, and what references are about. Faults are
 * told with `file:line:column`, and steps by their number, from 1.
 * @param name of the file, for messages
 * @throws PwpoolError `INVALID_ARGUMENTS` with every fault and where it is
 */
export function parseScript(
  text: string,
  name: string,
  toolset: Toolset,
  options: ParseScriptOptions = {},
): Script {
  const file = readYaml(text, name);
  const parsed = new ScriptReader(file, toolset, options).read();
  if ('problems' in parsed) throw noScript(name, parsed.problems);
  return { name, ...parsed.script };
}

/**
 * The toolset that a script asks for, before it is checked; `undefined` if it leaves that to the configuration.
 * @throws PwpoolError `INVALID_ARGUMENTS` for what is no YAML
 */
export function toolsetOf(text: string, name: string): ServerSettings['toolset'] | undefined {
  const { content } = readYaml(text, name);
  const { toolset } = isMapping(content) ? content : {};
  return toolset === 'playwright' || toolset === 'compact' ? toolset : undefined;
}

/**
 * Refuses a script that needs columns that the data does not have.
 * @throws PwpoolError `INVALID_ARGUMENTS` with every one and where it is
 */
export function checkColumns({ name, columns }: Script, present: readonly string[], data: string): void {
  const problems = columns
    .filter(({ column }) => !present.includes(column))
    .map(({ column, place }) => {
      const meant = nearest(column, present)?.name;
      const instead = meant === undefined ? `It has: ${present.join(', ')}.` : `Did you mean '${meant}'?`;
      return `${place}: ${data} has no column '${column}'. ${instead}`;
    });
  if (problems.length > 0) throw noScript(name, [...new Set(problems)]);
}

function readYaml(text: string, name: string): YamlFile {
  const file = new YamlFile(text, name, 'docs/bulk.md');
  const faults = file.violations.map(({ message, variable }) => `${variable}: ${message}`);
  if (faults.length > 0) throw noScript(name, faults);
  return file;
}

type Path = readonly (string | number)[];

/** The steps of a script stand in these, or are all of it. */
type Section = 'setup' | 'steps' | 'teardown';

class ScriptReader {
  readonly #file: YamlFile;
  readonly #toolset: Toolset;
  readonly #known: KnownNames;
  readonly #hasRows: boolean;
  readonly #problems: string[] = [];
  readonly #warnings: string[] = [];
  readonly #columns: NeededColumn[] = [];

  constructor(file: YamlFile, toolset: Toolset, { env = {}, hasRows = false }: ParseScriptOptions) {
    this.#file = file;
    this.#toolset = toolset;
    this.#hasRows = hasRows;
    const set = Object.keys(env).filter((name) => env[name] !== undefined);
    this.#known = { vars: [], env: set, files: undefined };
  }

  read(): { script: Omit<Script, 'name'> } | { problems: readonly string[] } {
    const { content } = this.#file;
    const isList = Array.isArray(content);
    const parsed = isList ? stepListSchema.safeParse(content) : scriptSchema.safeParse(content);
    if (!parsed.success) {
      if (!isList && !isMapping(content)) {
        return {
          problems: [`${this.#file.place([])}: It is neither a list of steps nor a mapping with 'steps'`],
        };
      }
      const faults = parsed.error.issues.map((issue) => this.#told(issue, isList));
      // The tools and arguments of the steps that have the form of one are checked all the same: all is told at once.
      const sections = isList ? { steps: content } : content;
      for (const name of ['setup', 'steps', 'teardown'] as const) {
        for (const { step, index } of soundSteps(sections[name])) {
          const path = isList ? [index] : [name, index];
          this.#arguments(step.tool, step.args, path, nameOf(name, index));
        }
      }
      return { problems: inOrder([...this.#problems, ...faults]) };
    }
    const written: WrittenScript = Array.isArray(parsed.data)
      ? { steps: parsed.data, clean: 'row', vars: {}, expect: [] }
      : parsed.data;
    const script = this.#script(written, isList);
    return this.#problems.length > 0 ? { problems: inOrder(this.#problems) } : { script };
  }

  #script(written: WrittenScript, isList: boolean): Omit<Script, 'name'> {
    const known: KnownNames = { ...this.#known, vars: Object.keys(written.vars) };
    const ofRow = { ...known, row_number: undefined, ...(this.#hasRows ? { row: undefined } : {}) };
    const section = (name: Section, names: KnownNames, saved = new Set<string>()) =>
      (written[name] ?? []).map((step, index) => this.#check({ step, index }, name, isList, saved, names));
    const saved = new Set<string>();
    const setup = section('setup', known);
    const steps = section('steps', ofRow, saved);
    const teardown = section('teardown', known);
    const after = { ...ofRow, steps: [...saved] };
    const expect = written.expect.map((each, index) => {
      const { that, message } = typeof each === 'string' ? { that: each, message: undefined } : each;
      const expression = bareExpression(that);
      this.#expression(expression, ['expect', index], 'expect', after);
      this.#template(message, ['expect', index, 'message'], 'expect', after);
      return { that: expression, message };
    });
    this.#template(written.extract, ['extract'], 'extract', after);
    for (const [name, value] of Object.entries(written.vars))
      this.#template(value, ['vars', name], 'vars', { env: known['env'] });
    return {
      isList,
      pool: written.pool,
      clean: written.clean,
      timeoutMs: milliseconds(written.timeout),
      vars: written.vars,
      setup,
      steps,
      teardown,
      expect,
      extract: written.extract,
      columns: this.#columns,
      warnings: this.#warnings,
    };
  }

  #check(
    { step, index }: { step: WrittenStep; index: number },
    section: Section,
    isList: boolean,
    saved: Set<string>,
    known: KnownNames,
  ): ScriptStep {
    const { tool, args, when, for_each: forEach } = step;
    const path: Path = isList ? [index] : [section, index];
    const what = nameOf(section, index);
    const before: KnownNames = { ...known, steps: [...saved] };
    const each = forEach === undefined ? before : { ...before, item: undefined, index: undefined };
    if (when !== undefined) this.#expression(bareExpression(when), [...path, 'when'], `${what}, when`, each);
    if (typeof forEach === 'string')
      this.#expression(bareExpression(forEach), [...path, 'for_each'], `${what}, for_each`, before);
    else this.#template(forEach, [...path, 'for_each'], `${what}, for_each`, before);
    for (const [name, value] of Object.entries(args))
      this.#template(value, [...path, 'args', name], what, each, index);
    this.#arguments(tool, args, path, what);
    if (step.save_as !== undefined) saved.add(step.save_as);
    return {
      tool,
      args,
      saveAs: step.save_as,
      returnResult: step.return_result,
      when: when === undefined ? undefined : bareExpression(when),
      forEach: typeof forEach === 'string' ? bareExpression(forEach) : forEach,
      timeoutMs: milliseconds(step.timeout),
      continueOnError: step.on_error === 'continue',
    };
  }

  /** What a reference stands for may be of any type: its step is checked when its turn has come. */
  #arguments(tool: string, args: ToolArguments, path: Path, what: string): void {
    if (this.#toolset.has(tool) && hasTemplate(args)) return;
    try {
      const { ignored } = this.#toolset.check(tool, args);
      if (ignored.length > 0)
        this.#warnings.push(`${this.#file.place(path)}: ${what}: ${describeIgnored(tool, ignored)}`);
    } catch (error) {
      if (!(error instanceof PwpoolError)) throw error;
      this.#fault(
        [...path, this.#toolset.has(tool) ? 'args' : 'tool'],
        what,
        `${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`,
      );
    }
  }

  #template(value: unknown, path: Path, what: string, known: KnownNames, step?: number): void {
    for (const fault of faultsOfTemplate(value, known, step)) this.#fault(path, what, fault);
    this.#need(columnsRead(value), path);
  }

  #expression(expression: string, path: Path, what: string, known: KnownNames): void {
    for (const fault of faultsOfExpression(expression, known)) this.#fault(path, what, fault);
    this.#need(columnsOf(expression), path);
  }

  #need(columns: readonly string[], path: Path): void {
    if (!this.#hasRows) return;
    const place = this.#file.place(path);
    this.#columns.push(...columns.map((column) => ({ column, place })));
  }

  #fault(path: Path, what: string, fault: string): void {
    this.#problems.push(`${this.#file.place(path)}: ${what}: ${fault}`);
  }

  #told(issue: z.core.$ZodIssue, isList: boolean): string {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    const path = [...issue.path, ...keys].map((key) => (typeof key === 'number' ? key : String(key)));
    const [section, index] = isList ? ['steps', path[0]] : path;
    const isStep = section === 'setup' || section === 'steps' || section === 'teardown';
    const ofStep = isStep && typeof index === 'number';
    const within = issue.path.slice(ofStep ? (isList ? 1 : 2) : 0);
    const what = ofStep ? `${nameOf(section, index)}: ` : '';
    return `${this.#file.place(path)}: ${what}${within.length > 0 ? `${within.join('.')}: ` : ''}${issue.message}`;
  }
}

function nameOf(section: Section, index: number): string {
  return `${section === 'steps' ? 'Step' : `${section}, step`} ${index + 1}`;
}

/** The steps that have the form of one, with their positions. */
function soundSteps(written: unknown): { step: WrittenStep; index: number }[] {
  const steps: unknown[] = Array.isArray(written) ? written : [];
  return steps.flatMap((step, index) => {
    const parsed = stepListSchema.element.safeParse(step);
    return parsed.success ? [{ step: parsed.data, index }] : [];
  });
}

/** By the place in the file. */
function inOrder(problems: readonly string[]): string[] {
  const at = (problem: string) => (/:(\d+):(\d+): /.exec(problem) ?? []).slice(1).map(Number);
  return [...new Set(problems)].sort((one, other) => {
    const [line = 0, column = 0] = at(one);
    const [otherLine = 0, otherColumn = 0] = at(other);
    return line - otherLine || column - otherColumn;
  });
}

function isMapping(content: unknown): content is Record<string, unknown> {
  return typeof content === 'object' && content !== null && !Array.isArray(content);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

function milliseconds(duration: number | string | undefined): number | undefined {
  if (typeof duration !== 'string') return duration;
  const [, number, unit = 'ms'] = /^(\d+)(\D+)$/.exec(duration) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

function noScript(name: string, problems: readonly string[]): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `${name} is not a script that can be run:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint: 'A script is a list of steps, "- tool: browser_navigate" and below it "args:", or a mapping with that list under "steps:".',
      details: { file: name, problems },
    },
  );
}
