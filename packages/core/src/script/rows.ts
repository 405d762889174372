import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { PwpoolError, reasonOf } from '../errors.js';

/** One row of data. */
export interface DataRow {
  /** From 1, in the order of the data. */
  readonly number: number;
  /** Where it ends in the data, from 1. */
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>>;
  /** What makes it none; its value is empty then. */
  readonly fault?: PwpoolError;
}

export type DataFormat = 'csv' | 'tsv' | 'jsonl';

/** Data that rows are read from. */
export interface DataSource {
  /** For messages. */
  readonly name: string;
  /** Default: as the name ends; else by the first character. */
  readonly format?: DataFormat | undefined;
  /** As `TextDecoder` has it. Default: UTF-8. */
  readonly encoding?: string | undefined;
  open(): AsyncIterable<Uint8Array>;
}

/** A data file as it was when it was looked at: what is written to it later is not read. */
export interface DataFile {
  readonly bytes: number;
  /** Of these bytes. */
  readonly sha256: string;
}

/** Rows, read as they are asked for: the data may have any length. */
export interface Rows {
  /** The names in the first line; `undefined` for JSONL, where each row has its own. */
  readonly columns: readonly string[] | undefined;
  readonly rows: AsyncIterable<DataRow>;
}

const FORMATS: Readonly<Record<string, DataFormat>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/**
 * Looks at a data file.
 * @param bytes only so many of its beginning
 * @throws PwpoolError `INVALID_ARGUMENTS` when it cannot be read
 */
export async function inspectDataFile(path: string, bytes?: number): Promise<DataFile> {
  try {
    const size = Math.min((await stat(path)).size, bytes ?? Number.POSITIVE_INFINITY);
    const hash = createHash('sha256');
    for await (const chunk of contentOf(path, size)) hash.update(chunk);
    return { bytes: size, sha256: hash.digest('hex') };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The file as a source, as far as `bytes`. */
export function fileSource(
  path: string,
  bytes: number,
  options: Pick<DataSource, 'format' | 'encoding'> = {},
): DataSource {
  const format = options.format ?? FORMATS[extname(path).toLowerCase()];
  return { name: path, ...options, format, open: () => contentOf(path, bytes) };
}

/**
 * Begins to read rows: the header of a CSV is read when this resolves. A row that is none, because it has too few cells or
 * is no JSON, is told as one with its fault.
 * @throws PwpoolError `INVALID_ARGUMENTS` with `file:line`, here or on the way, for data that cannot be read on
 */
export async function openRows(source: DataSource): Promise<Rows> {
  const texts = decoded(source);
  const first = await texts.next();
  const all = followed(first.done ? '' : first.value, texts);
  const format = source.format ?? (/^\s*\{/.test(first.done ? '' : first.value) ? 'jsonl' : 'csv');
  if (format === 'jsonl') return { columns: undefined, rows: jsonRows(all, source.name) };
  const records = csvRecords(all, source.name, format === 'tsv' ? '\t' : ',');
  const header = await records.next();
  if (header.done)
    throw faulty(source.name, 1, 'it is empty', 'The first line of a CSV has the names of the columns.');
  const columns = header.value.cells;
  checkHeader(columns, source.name, header.value.line);
  return { columns, rows: csvRows(records, columns, source.name) };
}

/** A digest of what a row holds: the same for rows that are alike. */
export function keyOfRow({ value, fault, number }: DataRow): string {
  const content = fault ? `${number}: ${fault.message}` : JSON.stringify(value);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function contentOf(path: string, bytes: number): AsyncIterable<Uint8Array> {
  return bytes === 0 ? Readable.from([]) : createReadStream(path, { end: bytes - 1 });
}

async function* followed(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* decoded({ name, encoding = 'utf-8', open }: DataSource): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  let line = 1;
  try {
    for await (const chunk of open()) {
      const text = decoder.decode(chunk, { stream: true });
      yield text;
      line += linesIn(text);
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw unreadable(name, error);
    throw faulty(
      name,
      line,
      `from about here on it is not ${encoding.toUpperCase()}`,
      'Say what it is: --encoding latin1, say.',
    );
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    const message = `There is no encoding '${encoding}'.`;
    throw new PwpoolError('INVALID_ARGUMENTS', message, {
      hint: 'Use utf-8, latin1, utf-16le, …',
      cause: error,
    });
  }
}

interface CsvRecord {
  cells: string[];
  line: number;
}

/** Loaded with the first CSV, which not every run has. */
function csvParser(): typeof import('csv-parse') {
  return createRequire(import.meta.url)('csv-parse') as typeof import('csv-parse');
}

async function* csvRecords(
  texts: AsyncIterable<string>,
  name: string,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const { parse, CsvError } = csvParser();
  const parser = parse({ delimiter, info: true, relax_column_count: true, skip_empty_lines: true });
  const source = Readable.from(texts, { objectMode: true });
  // Its error is the parser's too.
  pipeline(source, parser, () => {});
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      line = info.lines;
      yield { cells: record, line };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw faulty(
      name,
      line,
      `after this line it is not CSV: ${error.message}`,
      'Put cells with quotes in quotes, and double those.',
    );
  } finally {
    source.destroy();
  }
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  columns: readonly string[],
  name: string,
): AsyncGenerator<DataRow> {
  let number = 0;
  for await (const { cells, line } of records) {
    number += 1;
    if (cells.length === columns.length) {
      yield {
        number,
        line,
        value: Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
      };
    } else {
      const fault = faulty(
        name,
        line,
        `the row has ${cells.length} cells, the header ${columns.length}`,
        'Give each row as many cells as the header.',
      );
      yield { number, line, value: {}, fault };
    }
  }
}

async function* jsonRows(texts: AsyncIterable<string>, name: string): AsyncGenerator<DataRow> {
  let number = 0;
  let line = 0;
  for await (const text of linesOf(texts)) {
    line += 1;
    if (text.trim() === '') continue;
    number += 1;
    const value = parsed(text);
    if (isRow(value)) yield { number, line, value };
    else {
      const reason = value === undefined ? 'this is not JSON' : 'this is not a JSON object';
      yield {
        number,
        line,
        value: {},
        fault: faulty(name, line, reason, 'Each line is a row: {"url": "https://…"}'),
      };
    }
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function checkHeader(columns: readonly string[], name: string, line: number): void {
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  const fault = columns.includes('')
    ? 'a column has no name'
    : twice === undefined
      ? undefined
      : `two columns are called '${twice}'`;
  if (fault !== undefined)
    throw faulty(name, line, fault, 'The first line of a CSV names each column, once.');
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faulty(name: string, line: number, reason: string, hint: string): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `${name}:${line}: ${reason}.`, { hint });
}

function unreadable(name: string, error: unknown): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `The data ${name} cannot be read: ${reasonOf(error)}`, {
    hint: 'Name a file that exists, or "-" for stdin.',
    cause: error,
  });
}
