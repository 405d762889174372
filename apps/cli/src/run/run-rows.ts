import { basename } from 'node:path';
import { type PwpoolConfig, PwpoolError } from '@pwpool/core';
import {
  faultsOfExpression,
  type HaltPolicy,
  LeftOut,
  parseHalt,
  type ResultsFile,
  type RowResult,
  type RunReport,
  runRows,
  type SelectedRow,
  selectRows,
  systemClock,
} from '@pwpool/core/internal';
import { plural } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { complain, describeError, print } from '../output.js';
import type { CheckedScript } from './checked-script.js';
import { openData, type RunData } from './data.js';
import { describeFigures, RunFigures } from './figures.js';
import { LiveProgress } from './live-progress.js';
import type { RunOptions } from './options.js';
import { lockOut } from './out-lock.js';
import { PlainProgress } from './progress.js';
import { writeReport } from './report-page.js';
import { openResults } from './results.js';
import { openBrowsers } from './row-browsers.js';

/** 128 + the number of SIGPIPE. */
const BROKEN_PIPE = 141;

/**
 * Runs a script for each row of data on a pool of its own. Everything that can be checked is, before a browser starts.
 * @returns the exit status
 * @throws PwpoolError `INVALID_ARGUMENTS` for options or data; else as `runRows`
 */
export async function runData(
  script: CheckedScript,
  config: PwpoolConfig,
  options: RunOptions,
): Promise<number> {
  const halt = parseHalt(options.halt);
  checkOnly(options.only);
  checkUse(options);
  const data = await openData(options);
  if (data.columns) script.checkData?.(data.columns, options.data ?? '');
  const { name, sha256 } = script.file;
  const identity = { script: { file: name, sha256 }, ...(data.identity ? { data: data.identity } : {}) };
  const files = options.files ?? `${options.out ?? `.pwpool/${basename(name).replace(/\.\w+$/, '')}`}.files`;
  if (options.dryRun) return await dryRun(script, data, options, files);
  using interruption = new Interruption({ gently: true });
  await using browsers = await openBrowsers(script, config, options, files);
  using _lock = options.out === undefined ? undefined : await lockOut(options.out);
  using results = await openResults(options, identity);
  const run = new DataRun(data, options, results, interruption);
  const status = await run.do(browsers, script, { halt, files });
  const { report, out } = options;
  if (report !== undefined && out !== undefined)
    await writeReport(report, { title: name, out, files, summary: run.summary });
  return status;
}

type Browsers = Awaited<ReturnType<typeof openBrowsers>>;

interface Plan {
  halt: HaltPolicy | undefined;
  files: string;
}

class DataRun {
  readonly #data: RunData;
  readonly #options: RunOptions;
  readonly #results: ResultsFile | undefined;
  readonly #interruption: Interruption;
  readonly #figures = new RunFigures();
  readonly #leftOut = new LeftOut();
  readonly #startedAt = systemClock.now();

  constructor(
    data: RunData,
    options: RunOptions,
    results: ResultsFile | undefined,
    interruption: Interruption,
  ) {
    this.#data = data;
    this.#options = options;
    this.#results = results;
    this.#interruption = interruption;
  }

  async do(browsers: Browsers, script: CheckedScript, plan: Plan): Promise<number> {
    try {
      const report = await this.#run(browsers, script, plan);
      await this.#data.tellGrowth();
      return this.#tell(report, plan.halt);
    } catch (error) {
      this.#summarise();
      if (this.#interruption.exitStatus === undefined || !(error instanceof PwpoolError)) throw error;
      complain(describeError(error));
      return this.#interruption.exitStatus;
    }
  }

  async #run(browsers: Browsers, script: CheckedScript, { halt, files }: Plan): Promise<RunReport> {
    const { retries, ordered } = this.#options;
    const { stop, signal } = this.#interruption;
    const concurrency = this.#concurrency(browsers);
    using progress = process.stderr.isTTY
      ? new LiveProgress(this.#figures, this.#total())
      : new PlainProgress(this.#figures, this.#total());
    progress.start();
    const noReader = () =>
      this.#interruption.end(new PwpoolError('CANCELLED', 'Nobody reads the results.'), BROKEN_PIPE);
    process.stdout.once('error', noReader);
    stop.addEventListener('abort', () => {
      if (!signal.aborted) progress.tell('Finishing the rows that run. Press Ctrl-C again to stop at once.');
    });
    const tell = (text: string) => progress.tell(text);
    try {
      return await runRows(browsers, script.work(tell), this.#rows(), {
        clock: systemClock,
        ...{ concurrency, retries, ordered, halt, stop, signal, files },
        picturesOfFailures: this.#options.report !== undefined,
        onStart: ({ number }) => progress.rowStarted(number),
        onAttempt: (entry) => {
          this.#results?.addAttempt(entry);
          this.#figures.attempt(entry);
          progress.attempt(entry);
        },
        onResult: (result) => {
          this.#write(result);
          this.#figures.result(result);
          progress.result(result);
        },
        onTrouble: (error) => tell(describeError(error)),
      });
    } finally {
      process.stdout.off('error', noReader);
    }
  }

  #rows(): AsyncIterable<SelectedRow> {
    const { only, unique, limit } = this.#options;
    const selection = { only, unique, limit, names: { env: process.env }, earlier: this.#results?.earlier };
    return selectRows(this.#data.rows, selection, this.#leftOut);
  }

  /** How many rows will be run, unless that depends on what they hold. */
  #total(): number | undefined {
    const { only, unique, limit = Number.POSITIVE_INFINITY } = this.#options;
    const { total } = this.#data;
    if (total === undefined || only !== undefined || unique) return undefined;
    const { done, failed } = this.#results?.earlier ?? { done: 0, failed: 0 };
    return Math.min(total - done - failed, limit);
  }

  #concurrency({ pool, capacity }: Browsers): number {
    const wanted = this.#options.concurrency ?? capacity;
    if (wanted > capacity) {
      const { tabs = 1, server } = this.#options;
      const more =
        server === undefined
          ? `: set PW_MCP_PROXY__${pool}_INSTANCES=${Math.ceil(wanted / tabs)}`
          : ', whatever the server has';
      const has =
        tabs > 1 ? `${plural(capacity / tabs, 'browser')} with ${tabs} tabs` : plural(capacity, 'browser');
      complain(`${plural(wanted, 'row')} at once are too many: pool ${pool} has ${has}${more}.`);
    }
    return Math.min(wanted, capacity);
  }

  #write(result: RowResult): void {
    if (this.#results) this.#results.add(result);
    else print(JSON.stringify(result));
  }

  #tell({ endedBy }: RunReport, halt: HaltPolicy | undefined): number {
    const { done, failed } = this.#figures;
    this.#summarise();
    const { exitStatus } = this.#interruption;
    if (exitStatus !== undefined) {
      complain(this.#options.out === undefined ? 'Interrupted.' : 'Interrupted: --resume runs what is left.');
      return exitStatus;
    }
    if (endedBy === 'halt') {
      complain(`Ended by --halt ${this.#options.halt}.`);
      if (halt?.of === 'fail') return EXIT.halted;
    }
    if (failed > 0) return EXIT.failure;
    return done === 0 ? EXIT.nothingToDo : EXIT.ok;
  }

  /** What was told at the end, for `--report`. */
  get summary(): string {
    return describeFigures(this.#figures, systemClock.now() - this.#startedAt);
  }

  #summarise(): void {
    const { earlier, duplicates, others } = this.#leftOut;
    const left = [
      earlier > 0 ? `${earlier} with results already` : '',
      duplicates > 0 ? plural(duplicates, 'duplicate') : '',
      others > 0 ? `${others} that --only leaves out` : '',
    ].filter((part) => part !== '');
    complain(this.summary);
    if (left.length > 0) complain(`Not run: ${left.join(', ')}.`);
  }
}

async function dryRun(
  script: CheckedScript,
  { rows }: RunData,
  options: RunOptions,
  files: string,
): Promise<number> {
  const { only, unique, limit } = options;
  const selection = { only, unique, limit, names: { env: process.env } };
  let count = 0;
  for await (const row of selectRows(rows, selection, new LeftOut())) {
    count += 1;
    if (row.fault) complain(describeError(row.fault));
    else
      print(
        JSON.stringify({ row: row.number, ...(script.preview(row, `${files}/${row.number}`) as object) }),
      );
  }
  complain(`${plural(count, 'row')} would be run. No browser was started.`);
  return count === 0 ? EXIT.nothingToDo : EXIT.ok;
}

/** Refuses what would have no effect. */
function checkUse({ report, out, instance }: RunOptions): void {
  if (report !== undefined && out === undefined) {
    throw new PwpoolError('INVALID_ARGUMENTS', '--report needs --out: it is made from the results.', {
      hint: 'Write results to a file: --out results.jsonl',
    });
  }
  if (instance !== undefined) {
    throw new PwpoolError(
      'INVALID_ARGUMENTS',
      'Rows run on all instances of a pool: --instance is for a list of steps without data.',
      {
        hint: 'Leave it out, or choose a --pool.',
      },
    );
  }
}

function checkOnly(only: string | undefined): void {
  const [fault] = only === undefined ? [] : faultsOfExpression(only, { row: undefined, env: undefined });
  if (fault === undefined) return;
  throw new PwpoolError('INVALID_ARGUMENTS', `--only ${only}: ${fault}`, {
    hint: 'Write what is true for the rows to run: --only "row.kind == \'shop\'"',
  });
}
