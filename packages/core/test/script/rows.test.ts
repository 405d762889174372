import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DataSource, fileSource, inspectDataFile, openRows } from '../../src/script/rows.js';

function source(content: string | Uint8Array, name = 'rows.csv', rest: Partial<DataSource> = {}): DataSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
  const format = name.endsWith('.jsonl') ? 'jsonl' : 'csv';
  // In pieces that cut characters and lines in two.
  const pieces = Array.from({ length: Math.ceil(bytes.length / 5) }, (_, at) =>
    bytes.subarray(at * 5, at * 5 + 5),
  );
  return { name, format, ...rest, open: () => Readable.from(pieces) };
}

async function read(data: DataSource) {
  const { columns, rows } = await openRows(data);
  const values: unknown[] = [];
  for await (const { value, fault, line } of rows) values.push(fault ? fault.message : { ...value, line });
  return { columns, values };
}

describe('rows', () => {
  it('of a CSV may have quotes, newlines and CRLF in their cells, and a byte order mark before them [arch-bulk-03]', async () => {
    const text = '\uFEFFname,url\r\n"Ada, ""the first""",https://a.example/ü\r\n"two\nlines",x\r\n\r\n';
    expect(await read(source(text))).toEqual({
      columns: ['name', 'url'],
      values: [
        { name: 'Ada, "the first"', url: 'https://a.example/ü', line: 2 },
        { name: 'two\nlines', url: 'x', line: 4 },
      ],
    });
  });

  it('with too few or too many cells, or no JSON, are told with their line; the others are read [arch-bulk-03]', async () => {
    expect((await read(source('a,b\n1\n1,2\n1,2,3\n'))).values).toEqual([
      'rows.csv:2: the row has 1 cells, the header 2.',
      { a: '1', b: '2', line: 3 },
      'rows.csv:4: the row has 3 cells, the header 2.',
    ]);
    expect((await read(source('{"a":1}\n{"a":\n\n[1]\n{"a":2}', 'rows.jsonl'))).values).toEqual([
      { a: 1, line: 1 },
      'rows.jsonl:2: this is not JSON.',
      'rows.jsonl:4: this is not a JSON object.',
      { a: 2, line: 5 },
    ]);
  });

  it('of what is piped in are JSONL when it begins with a brace, else CSV', async () => {
    const piped = { format: undefined };
    expect((await read(source(' {"a":1}\n', 'stdin', piped))).values).toEqual([{ a: 1, line: 1 }]);
    expect((await read(source('a\n1\n', 'stdin', piped))).values).toEqual([{ a: '1', line: 2 }]);
  });

  it.for([
    ['nothing', '', 'rows.csv:1: it is empty.'],
    ['two columns of a name', 'a,a\n', "rows.csv:1: two columns are called 'a'."],
    ['a column without a name', 'a,,b\n', 'rows.csv:1: a column has no name.'],
    ['a quote that does not end', 'a\nx\n"y\n', 'rows.csv:2: after this line it is not CSV: '],
  ] as const)('are refused: %s', async ([, text, message]) => {
    const error = await read(source(text)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(message) });
  });

  it('in another encoding are refused with the place, and read when it is named', async () => {
    const latin1 = Buffer.from('name\nAda\nZoë\n', 'latin1');
    await expect(read(source(latin1))).rejects.toMatchObject({
      message: 'rows.csv:3: from about here on it is not UTF-8.',
      hint: expect.stringContaining('--encoding latin1'),
    });
    expect((await read(source(latin1, 'rows.csv', { encoding: 'latin1' }))).values).toContainEqual({
      name: 'Zoë',
      line: 3,
    });
    await expect(read(source('a\n', 'rows.csv', { encoding: 'klingon' }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('of a file that grows are those it had when it was looked at', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pwpool-rows-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'rows.csv');
    await writeFile(path, 'a\n1\n2\n');
    const { bytes, sha256 } = await inspectDataFile(path);
    await writeFile(path, 'a\n1\n2\n3\n');
    expect((await read(fileSource(path, bytes))).values).toHaveLength(2);
    expect(await inspectDataFile(path, bytes)).toEqual({ bytes, sha256 });
    await expect(inspectDataFile(join(folder, 'none.csv'))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('are read as they are asked for, however many there are [arch-bulk-03]', async () => {
    let blocks = 0;
    async function* endless() {
      yield Buffer.from('id,url\n');
      for (;;) {
        const rows = Array.from({ length: 1_000 }, (_, row) => `${row},https://a.example/${row}\n`);
        blocks += 1;
        yield Buffer.from(rows.join(''));
      }
    }
    const { rows } = await openRows({ name: 'rows.csv', format: 'csv', open: endless });
    let count = 0;
    for await (const _ of rows) {
      count += 1;
      if (count === 20_000) break;
    }
    expect(blocks).toBeLessThan(40);
  });
});
