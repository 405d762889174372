import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry, RowResult } from '@pwpool/core/internal';
import { expect, test } from 'vitest';
import { Workplace } from './command.js';
import { startSite } from './site.js';

/** Two instances in one browser. */
const TWO = {
  PW_MCP_PROXY__TWO_INSTANCES: '2',
  PW_MCP_PROXY__TWO_IS_DEFAULT: 'true',
  PW_MCP_PROXY__TWO_CONTEXTS_PER_BROWSER: '2',
  PW_MCP_PROXY__TWO_ISOLATED: 'true',
};

const TITLES = `
steps:
  - tool: browser_navigate
    args: { url: "{{env.ORIGIN}}/{{row.path}}" }
    save_as: page
extract: { path: "{{row.path}}", title: "{{steps.page.title}}" }
`;

function csv(paths: readonly string[]): string {
  return `path\n${paths.map((path) => `${path}\n`).join('')}`;
}

function pages(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `page/p${index + 1}`);
}

async function linesOf<T>(workplace: Workplace, file: string): Promise<T[]> {
  const text = await readFile(join(workplace.path, file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

const titles = (results: readonly RowResult[]) =>
  results
    .map((result) => (result.ok ? (result.result as { title: string }).title : result.error.code))
    .sort();

test('a script runs for each row; --resume and --retry-failed do what is left, and the status tells [arch-bulk-04, arch-bulk-12]', async () => {
  const site = await startSite();
  const workplace = await Workplace.make({
    'titles.yaml': `${TITLES}expect: [ "steps.page.title != 'p2' || env.GOOD" ]\n`,
    'rows.csv': `\uFEFFpath,note\r\npage/p1,"a, ""quoted"" note"\r\npage/p2,x\r\nshort\r\npage/p4,"two\nlines"\r\n`,
  });
  const variables = { ...TWO, ORIGIN: site.origin, GOOD: '' };
  const run = (...args: string[]) =>
    workplace.runHere(['run', 'titles.yaml', '--data', 'rows.csv', '--out', 'out.jsonl', ...args], variables);

  const first = await run('--retries', '0', '--limit', '3', '--report', 'report.html');
  expect({ status: first.status, stdout: first.stdout }).toEqual({ status: 1, stdout: '' });
  expect(first.stderr).toContain(
    'Row 3 failed: INVALID_ARGUMENTS: rows.csv:4: the row has 1 cells, the header 2.',
  );
  expect(first.stderr).toContain('1 done, 2 failed (1 EXPECTATION_FAILED, 1 INVALID_ARGUMENTS), 0 retries;');
  expect(titles(await linesOf(workplace, 'out.jsonl'))).toEqual([
    'EXPECTATION_FAILED',
    'INVALID_ARGUMENTS',
    'p1',
  ]);

  const report = await readFile(join(workplace.path, 'report.html'), 'utf8');
  expect(report).toContain('<h2>2 failed</h2>');
  expect(report).toContain(
    '<b class="bad">EXPECTATION_FAILED</b> Expected steps.page.title != &#39;p2&#39; || env.GOOD',
  );
  expect(report.match(/src="data:image\/png;base64,/g)).toHaveLength(1);

  expect((await run()).stderr).toContain('out.jsonl has results already.');
  const visited = site.requests.length;
  const second = await run('--resume');
  expect({ status: second.status, visited: site.requests.slice(visited) }).toEqual({
    status: 0,
    visited: ['/page/p4'],
  });

  variables.GOOD = 'yes';
  expect((await run('--retry-failed')).status).toBe(1);
  const results = await linesOf<RowResult>(workplace, 'out.jsonl');
  expect(titles(results)).toEqual(['INVALID_ARGUMENTS', 'p1', 'p2', 'p4']);
  expect(new Set(results.map(({ row }) => row)).size).toBe(4);
  const [head, ...attempts] = await linesOf<JournalEntry & { pwpool_run?: number }>(
    workplace,
    'out.jsonl.journal',
  );
  expect(head).toMatchObject({ pwpool_run: 1, script: { file: 'titles.yaml' }, data: { file: 'rows.csv' } });
  expect(attempts.filter(({ row }) => row === 2).map(({ code }) => code)).toEqual([
    'EXPECTATION_FAILED',
    'OK',
  ]);

  const again = await run('--resume');
  expect({ status: again.status, requests: site.requests.length }).toEqual({ status: 3, requests: 4 });
  expect(again.stderr).toContain('Not run: 4 with results already.');

  // What the results are of has changed.
  await writeFile(join(workplace.path, 'rows.csv'), `path,note\npage/other,x\n`);
  const other = await run('--resume');
  expect({ status: other.status, stderr: other.stderr }).toMatchObject({
    status: 64,
    stderr: expect.stringContaining(
      'rows.csv is not the data of these results (rows.csv), or has been changed since',
    ),
  });
  await writeFile(join(workplace.path, 'titles.yaml'), TITLES);
  expect((await run('--resume')).stderr).toContain('titles.yaml is not the script of these results');
});

test('JavaScript has the page, the row and the tools, rows come from stdin, and each has its folder [arch-bulk-11]', async () => {
  const site = await startSite();
  const script = `import { mkdir, writeFile } from 'node:fs/promises';
export const clean = 'lease';
export default async ({ page, row, call, log, files, number }) => {
  await page.goto(row.url);
  const { title } = await call('browser_snapshot');
  await call('browser_take_screenshot', { filename: files + '/page.png' });
  log('saw', title);
  if (number === 2) throw new Error('no second one');
  return { title, heading: await page.locator('h1').textContent() };
};`;
  const workplace = await Workplace.make({ 'script.mjs': script });
  const rows = pages(3).map((path) => JSON.stringify({ url: `${site.origin}/${path}` }));
  const { status, stdout, stderr } = await workplace.run(
    ['run', 'script.mjs', '--data', '-', '--ordered', '--retries', '0'],
    TWO,
    rows.join('\n'),
  );
  expect(status).toBe(1);
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RowResult);
  expect(results).toMatchObject([
    { row: 1, ok: true, result: { title: 'p1', heading: 'p1' } },
    { row: 2, ok: false, error: { code: 'EXECUTION_ERROR', message: 'no second one' } },
    { row: 3, ok: true, result: { title: 'p3', heading: 'p3' } },
  ]);
  expect(stderr).toContain('Row 1: saw p1');
  for (const number of [1, 3]) {
    const { size } = await stat(join(workplace.path, `.pwpool/script.files/${number}/page.png`));
    expect(size).toBeGreaterThan(0);
  }
});

test('TypeScript is read on every Node, with what it imports, and faults in it are told [arch-bulk-14]', {
  tags: ['at-length'],
}, async () => {
  const workplace = await Workplace.make({
    'script.ts': `import { type Row, shout } from './row.ts';
export const pool: string = shout('two' satisfies string);
export default ({ row }: { row: Row }): string => row.name;`,
    'row.ts':
      'export interface Row { name: string }\nexport const shout = (text: string) => text.toUpperCase();',
    'faulty.ts': 'export default (): void => { const = 1; };',
  });
  const { status, stdout, stderr } = await workplace.run(['run', 'script.ts', '--dry-run'], TWO);
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: '{"row":1,"data":{}}\n' });
  const faulty = await workplace.run(['run', 'faulty.ts'], TWO);
  expect(faulty).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/The script faulty\.ts cannot be loaded: .*\n/),
  });
});

test('the first Ctrl-C lets the rows that run finish, and --resume does the others [arch-bulk-08]', async () => {
  const site = await startSite();
  const workplace = await Workplace.make({
    'titles.yaml': TITLES,
    'rows.csv': csv(['page/p1', 'slow/p2', 'page/p3']),
  });
  const variables = { ...TWO, ORIGIN: site.origin };
  const args = ['run', 'titles.yaml', '--data', 'rows.csv', '--out', 'out.jsonl', '--concurrency', '1'];
  const { child, ended } = workplace.start(args, variables);
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += String(chunk);
  });
  await expect.poll(() => site.requests).toContain('/slow/p2');
  child.kill('SIGINT');
  // As npx does.
  child.kill('SIGINT');
  await expect.poll(() => told).toContain('Press Ctrl-C again to stop at once.');
  site.answerSlow();
  expect((await ended).status).toBe(130);
  expect(titles(await linesOf(workplace, 'out.jsonl'))).toEqual(['p1', 'p2']);
  expect((await workplace.runHere([...args, '--resume'], variables)).status).toBe(0);
  expect(titles(await linesOf(workplace, 'out.jsonl'))).toEqual(['p1', 'p2', 'p3']);
});

test('what is wrong is told before a browser starts: columns, expressions, options, files [arch-bulk-01, arch-bulk-12]', async () => {
  const workplace = await Workplace.make({
    'titles.yaml': TITLES,
    'rows.csv': 'paht\nx\n',
    'good.csv': csv(['x']),
  });
  const variables = { ORIGIN: 'http://127.0.0.1:1', PW_MCP_PROXY_EXECUTABLE_PATH: '/nowhere' };
  for (const [args, told] of [
    [['--data', 'rows.csv'], "titles.yaml:4:13: rows.csv has no column 'path'. Did you mean 'paht'?"],
    [
      ['--data', 'good.csv', '--only', 'row.path =='],
      '--only row.path ==: This is not a JMESPath expression',
    ],
    [['--data', 'good.csv', '--halt', 'sometimes'], "'sometimes' is not a halt policy"],
    [['--data', 'good.csv', '--resume'], '--resume needs --out'],
    [['--data', 'good.csv', '--report', 'r.html'], '--report needs --out'],
    [['--data', 'good.csv', '--instance', '0'], '--instance is for a list of steps'],
    [
      ['--data', 'good.csv', '--out', 'no/such/folder/out.jsonl'],
      'no/such/folder/out.jsonl cannot be written',
    ],
    [['--data', 'good.csv', '--pool', 'NONE'], 'POOL_NOT_FOUND'],
    [['--data', 'good.csv', '--tabs', '2'], '2 tabs of a browser share its cookies and storage'],
    [['--data', 'good.csv', '--server'], 'No pwpool server of yours is running.'],
    [['--data', 'good.csv', '--server', 'http://a.example'], 'serves http://a.example'],
    [['--data', 'good.csv', '--server', '--tabs', '2'], '--tabs needs a pool of its own'],
    [['--data', 'missing.csv'], 'The data missing.csv cannot be read'],
    [['--data', 'good.csv', '--retries', '-1'], 'It has to be a whole number, 0 or more.'],
  ] as const) {
    const { status, stderr } = await workplace.runHere(['run', 'titles.yaml', ...args], variables);
    expect({ args, status, stderr }).toEqual({ args, status: 64, stderr: expect.stringContaining(told) });
  }
  // Rows that are none need no browser.
  await writeFile(join(workplace.path, 'short.csv'), 'path,note\n1\n2\n3\n');
  const halted = await workplace.runHere(
    ['run', 'titles.yaml', '--data', 'short.csv', '--halt', 'now,fail=2', '--concurrency', '1'],
    variables,
  );
  expect({ status: halted.status, rows: halted.stdout.trimEnd().split('\n').length }).toEqual({
    status: 2,
    rows: 2,
  });
  expect(halted.stderr).toContain('Ended by --halt now,fail=2.');
  const dry = await workplace.runHere(['run', 'titles.yaml', '--data', 'good.csv', '--dry-run'], variables);
  expect({ status: dry.status, stdout: dry.stdout }).toEqual({
    status: 0,
    stdout: '{"row":1,"steps":[{"tool":"browser_navigate","args":{"url":"{{env.ORIGIN}}/{{row.path}}"}}]}\n',
  });
});

test('a reader who leaves ends the run', { tags: ['at-length'] }, async () => {
  const workplace = await Workplace.make({
    'titles.yaml': TITLES,
    'short.csv': `path,note\n${'x\n'.repeat(20_000)}`,
  });
  const { stdout, stderr } = await workplace.runShell(
    '{ ORIGIN= "$0" "$1" run titles.yaml --data short.csv 2>/dev/null; echo "status $?" >&2; } | head -n 1',
  );
  expect(JSON.parse(stdout)).toMatchObject({ row: 1, ok: false });
  expect(stderr).toBe('status 141\n');
});
