import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EarlierRows } from '../../src/script/earlier-rows.js';
import { KeySet } from '../../src/script/key-set.js';
import { journalOf, ResultsFile, type RowResult } from '../../src/script/results-file.js';
import type { DataRow } from '../../src/script/rows.js';
import { keyOfRow } from '../../src/script/rows.js';
import { LeftOut, type Selection, selectRows } from '../../src/script/select-rows.js';

const IDENTITY = {
  script: { file: 's.yaml', sha256: 'abc' },
  data: { file: 'd.csv', sha256: 'def', bytes: 3 },
};

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pwpool-results-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return join(path, 'out.jsonl');
}

function row(number: number, name = `row ${number}`): DataRow {
  return { number, line: number + 1, value: { name } };
}

function result(number: number, ok = true): RowResult {
  const about = { row: number, key: keyOfRow(row(number)), attempts: 1, ms: 5 };
  return ok
    ? { ...about, ok, result: { title: 'ü' } }
    : { ...about, ok, error: { code: 'EXECUTION_ERROR', message: 'no' } };
}

async function* several(rows: readonly DataRow[]) {
  yield* rows;
}

async function selected(
  rows: readonly DataRow[],
  selection: Selection,
  leftOut = new LeftOut(),
): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of selectRows(several(rows), selection, leftOut)) numbers.push(number);
  return numbers;
}

/** The rows that are run when the file is opened again. */
async function left(path: string, mode: 'resume' | 'retry-failed'): Promise<number[]> {
  using file = ResultsFile.open(path, IDENTITY, mode);
  return await selected(
    [1, 2, 3, 4].map((number) => row(number)),
    { earlier: file.earlier },
  );
}

async function written(path: string): Promise<{ row: number; ok: boolean }[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as RowResult)
    .map(({ row: number, ok }) => ({ row: number, ok }));
}

describe('a file of results', () => {
  it('tells which rows are left; a line that was cut off counts as none, and is gone [arch-bulk-04]', async () => {
    const path = await folder();
    using file = ResultsFile.open(path, IDENTITY, 'new');
    file.add(result(3));
    file.add(result(1, false));
    await appendFile(path, JSON.stringify(result(2)).slice(0, -9));
    await appendFile(journalOf(path), '{"row":2,"att');
    expect(await left(path, 'resume')).toEqual([2, 4]);
    expect(await written(path)).toEqual([
      { row: 3, ok: true },
      { row: 1, ok: false },
    ]);
    expect((await readFile(journalOf(path), 'utf8')).split('\n')).toHaveLength(2);
    expect(ResultsFile.identity(path)).toEqual(IDENTITY);
  });

  it('forgets rows that failed when they are to be run again [arch-bulk-04]', async () => {
    const path = await folder();
    using file = ResultsFile.open(path, IDENTITY, 'new');
    for (const each of [result(1), result(2, false), result(3)]) file.add(each);
    expect(await left(path, 'retry-failed')).toEqual([2, 4]);
    expect(await written(path)).toEqual([
      { row: 1, ok: true },
      { row: 3, ok: true },
    ]);
    using again = ResultsFile.open(path, IDENTITY, 'resume');
    again.add(result(2));
    expect(await left(path, 'resume')).toEqual([4]);
  });

  it('is begun anew when the run before was killed before its first row', async () => {
    const path = await folder();
    ResultsFile.open(path, IDENTITY, 'new')[Symbol.dispose]();
    await writeFile(journalOf(path), '');
    using file = ResultsFile.open(path, IDENTITY, 'new');
    expect(file.earlier.done).toBe(0);
    expect(ResultsFile.identity(path)).toEqual(IDENTITY);
  });

  it('is not written over, and nothing else is taken for one', async () => {
    const path = await folder();
    using file = ResultsFile.open(path, IDENTITY, 'new');
    file.add(result(1));
    const refused = (message: string) =>
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(message) });
    expect(() => ResultsFile.open(path, IDENTITY, 'new')).toThrow(refused('has results already'));
    await appendFile(path, '{"url":"https://a.example"}\n');
    expect(() => ResultsFile.open(path, IDENTITY, 'resume')).toThrow(refused('not a results file'));
    const other = `${path}.txt`;
    await writeFile(other, 'my notes\n');
    expect(() => ResultsFile.open(other, IDENTITY, 'resume')).toThrow(refused('no journal'));
    await writeFile(`${path}.other.journal`, 'my diary\n');
    expect(() => ResultsFile.open(`${path}.other`, IDENTITY, 'new')).toThrow(
      refused('not the journal of a run'),
    );
    expect(await readFile(`${path}.other.journal`, 'utf8')).toBe('my diary\n');
    expect(() => ResultsFile.open(join(path, 'below'), IDENTITY, 'new')).toThrow(
      refused('cannot be written'),
    );
  });

  it('that cannot be written any more ends the run with what to do', async () => {
    const path = await folder();
    // Where every write fails as on a full disk.
    await symlink('/dev/full', path);
    using file = ResultsFile.open(path, IDENTITY, 'new');
    expect(() => file.add(result(1))).toThrow(
      expect.objectContaining({ code: 'EXECUTION_ERROR', hint: expect.stringContaining('--resume') }),
    );
  });
});

describe('rows that are run', () => {
  it('are those for which an expression is true, so many at most, and one of those that are alike [arch-bulk-07]', async () => {
    const rows = [row(1, 'a'), row(2, 'b'), row(3, 'a'), row(4, 'c'), row(5, 'b')];
    const leftOut = new LeftOut();
    expect(await selected(rows, { unique: true, only: "row.name != 'c'" }, leftOut)).toEqual([1, 2]);
    expect(leftOut).toEqual({ earlier: 0, duplicates: 2, others: 1 });
    expect(await selected(rows, { limit: 3 })).toEqual([1, 2, 3]);
  });

  it('are, of those that are alike, none when the first has a result [arch-bulk-07]', async () => {
    const rows = [row(1, 'a'), row(2, 'a')];
    const earlier = new EarlierRows();
    earlier.add(1, keyOfRow(row(1, 'a')), true);
    expect(await selected(rows, { unique: true, earlier })).toEqual([]);
  });

  it('are refused when one that has a result has changed since [arch-bulk-09]', async () => {
    const earlier = new EarlierRows();
    earlier.add(2, keyOfRow(row(2)), true);
    await expect(selected([row(1), row(2, 'changed')], { earlier })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'Row 2 (line 3) is not the row that has a result already.',
    });
  });

  it('that are alike are known among any number, in a few bytes each [arch-bulk-07]', () => {
    const keys = new KeySet();
    const keyOf = (number: number) => keyOfRow({ number, line: number, value: { number } });
    for (let number = 0; number < 20_000; number++) keys.add(keyOf(number % 10_000));
    expect(keys.size).toBe(10_000);
    keys.add('0000000000000000');
    expect([keyOf(0), keyOf(9_999), keyOf(10_000), '0000000000000000'].map((key) => keys.has(key))).toEqual([
      ...[true, true, false, true],
    ]);
  });

  it('are remembered by the million in a few bytes each', () => {
    const earlier = new EarlierRows();
    for (let number = 1; number <= 1_000_000; number++)
      earlier.add(number, '0123456789abcdef', number % 2 === 0);
    expect([earlier.done, earlier.failed]).toEqual([500_000, 500_000]);
    expect([earlier.has(1_000_000), earlier.has(1_000_001)]).toEqual([true, false]);
  });
});
