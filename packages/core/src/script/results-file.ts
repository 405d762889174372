import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type ErrorCode, PwpoolError, reasonOf } from '../errors.js';
import { EarlierRows } from './earlier-rows.js';

/** One line of results: what a row came to. */
export type RowResult = { row: number; key: string } & (
  | { ok: true; result: unknown }
  | { ok: false; error: RowError }
) & {
    attempts: number;
    /** Milliseconds of the last attempt. */
    ms: number;
  };

export interface RowError {
  code: ErrorCode;
  message: string;
  hint?: string;
}

/** One line of a journal: an attempt at a row. */
export interface JournalEntry {
  row: number;
  key: string;
  attempt: number;
  /** `POOL/instance`; absent when there was none. */
  instance?: string;
  /** ISO 8601. */
  started: string;
  ms: number;
  code: ErrorCode | 'OK';
}

/** What a run is of, by digests of its files. The first line of a journal. */
export interface RunIdentity {
  script: { file: string; sha256: string };
  /** Absent for data from stdin, or none. */
  data?: { file: string; sha256: string; bytes: number };
}

/** Whether to begin, go on with what is missing, or with what failed as well. */
export type ResultsMode = 'new' | 'resume' | 'retry-failed';

const FORMAT = 1;

/**
 * Results of a run as JSONL, a line for each row, and beside it (`<file>.journal`) a line for each attempt. Both have a line before
 * the next row begins, so that after any end, `kill -9` included, the results tell which rows are left; a line that was not written in
 * full counts as none.
 */
export class ResultsFile implements Disposable {
  /** The rows that have results. */
  readonly earlier: EarlierRows;
  readonly #path: string;
  readonly #results: number;
  readonly #journal: number;

  private constructor(path: string, results: number, journal: number, earlier: EarlierRows) {
    this.#path = path;
    this.#results = results;
    this.#journal = journal;
    this.earlier = earlier;
  }

  /** What the results in a file are of; `undefined` for none. */
  static identity(path: string): RunIdentity | undefined {
    const first = existsSync(journalOf(path)) ? firstLine(journalOf(path)) : undefined;
    const {
      pwpool_run: format,
      script,
      data,
    } = (parsed(first ?? '') ?? {}) as Partial<RunIdentity> & { pwpool_run?: number };
    if (format !== FORMAT || !script) return undefined;
    return data ? { script, data } : { script };
  }

  /**
   * Opens a file for results, and makes it if there is none.
   * @throws PwpoolError `INVALID_ARGUMENTS` for a file that cannot be written, that has results already unless it is to be gone on with,
   *   or that is not the file of a run
   */
  static open(path: string, identity: RunIdentity, mode: ResultsMode): ResultsFile {
    const isThere = sizeOf(path) > 0;
    if (isThere && mode === 'new') throw hasResults(path);
    const journalIsOurs = ResultsFile.identity(path) !== undefined;
    if (isThere && !journalIsOurs) throw noResults(path, 'it has no journal beside it');
    if (!journalIsOurs && sizeOf(journalOf(path)) > 0)
      throw noResults(journalOf(path), 'it is not the journal of a run');
    const earlier = new EarlierRows();
    if (isThere) cutAfter(path, readEarlier(path, earlier, mode === 'retry-failed'));
    const journal = opened(journalOf(path));
    try {
      const results = opened(path);
      if (!isThere) ftruncateSync(journal);
      else cutAfter(journalOf(path), lastLineEnd(journalOf(path)));
      const file = new ResultsFile(path, results, journal, earlier);
      if (!isThere) file.#write(journal, { pwpool_run: FORMAT, ...identity });
      return file;
    } catch (error) {
      closeSync(journal);
      throw error;
    }
  }

  /** @throws PwpoolError `EXECUTION_ERROR` when it cannot be written, because the disk is full say */
  addAttempt(entry: JournalEntry): void {
    this.#write(this.#journal, entry);
  }

  /** Throws as `addAttempt`. */
  add(result: RowResult): void {
    this.#write(this.#results, result);
  }

  [Symbol.dispose](): void {
    closeSync(this.#results);
    closeSync(this.#journal);
  }

  #write(file: number, line: object): void {
    try {
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw new PwpoolError('EXECUTION_ERROR', `${this.#path} cannot be written: ${reasonOf(error)}.`, {
        hint: 'Mend that, and run it again with --resume: rows with results are not run again.',
        cause: error,
      });
    }
  }
}

export function journalOf(path: string): string {
  return `${path}.journal`;
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function opened(path: string): number {
  try {
    return openSync(path, 'a+');
  } catch (error) {
    throw new PwpoolError('INVALID_ARGUMENTS', `${path} cannot be written: ${reasonOf(error)}.`, {
      hint: 'Name a file in a directory that is there and can be written.',
      cause: error,
    });
  }
}

/**
 * Reads the rows that have results.
 * @param again forget those that failed: they leave the file
 * @returns how many bytes of the file are whole lines
 */
function readEarlier(path: string, earlier: EarlierRows, again: boolean): number {
  const kept = `${path}.tmp`;
  const writing = again ? openSync(kept, 'w') : undefined;
  let bytes = 0;
  try {
    for (const { line, end } of linesOf(path)) {
      const { row, key, ok } = (parsed(line) ?? {}) as Partial<RowResult>;
      if (typeof row !== 'number' || typeof key !== 'string' || typeof ok !== 'boolean') {
        throw noResults(path, `this line is not a result: ${line.slice(0, 80)}`);
      }
      if (writing !== undefined && !ok) continue;
      earlier.add(row, key, ok);
      bytes = writing === undefined ? end : bytes + Buffer.byteLength(line) + 1;
      if (writing !== undefined) appendFileSync(writing, `${line}\n`);
    }
    if (writing !== undefined) renameSync(kept, path);
    return bytes;
  } catch (error) {
    rmSync(kept, { force: true });
    throw error;
  } finally {
    if (writing !== undefined) closeSync(writing);
  }
}

function cutAfter(path: string, bytes: number): void {
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

function lastLineEnd(path: string): number {
  let bytes = 0;
  for (const { end } of linesOf(path)) bytes = end;
  return bytes;
}

function firstLine(path: string): string | undefined {
  for (const { line } of linesOf(path)) return line;
  return undefined;
}

/** The lines of a file that have an end, each with how many bytes it and those before it have. */
function* linesOf(path: string): Generator<{ line: string; end: number }> {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(1 << 16);
  try {
    let rest = Buffer.alloc(0);
    let end = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      let from = 0;
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
        end += at + 1 - from;
        yield { line: rest.toString('utf8', from, at), end };
        from = at + 1;
      }
      rest = rest.subarray(from);
    }
  } finally {
    closeSync(file);
  }
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasResults(path: string): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `${path} has results already.`, {
    hint: '--resume goes on with what is missing, --retry-failed with what failed as well; else name another file.',
  });
}

function noResults(path: string, reason: string): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `${path} is not a results file: ${reason}.`, {
    hint: 'Name the one that --out named before, or another.',
  });
}
