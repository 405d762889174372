import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { resolveConfig } from '../../src/config/config-input.js';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import { PwpoolError } from '../../src/errors.js';
import { OwnBrowsers } from '../../src/script/own-browsers.js';
import type { JournalEntry, RowResult } from '../../src/script/results-file.js';
import { stepWork } from '../../src/script/row-work.js';
import { runRows } from '../../src/script/run-rows.js';
import { parseScript } from '../../src/script/script.js';
import { LeftOut, selectRows } from '../../src/script/select-rows.js';
import type { FakeCall } from '../../src/testing/fake-driver.js';
import { loadToolset } from '../../src/toolset/load-toolset.js';
import { failureResult } from '../../src/upstream/failure.js';
import { poolOf } from '../pool/pool-fixture.js';

const toolset = await loadToolset(resolveConfig({}).server);

const TITLES = `
steps:
  - tool: browser_navigate
    args: { url: "https://a.example/{{row.name}}" }
    save_as: page
extract: { name: "{{row.name}}", title: "{{steps.page.title}}" }
`;

interface Given {
  pool?: Omit<PoolInput, 'isDefault'> & { instances: number };
  names?: readonly string[];
  retries?: number;
  tabs?: number;
  answer?: (call: FakeCall) => ToolResult;
}

function pageOf({ args }: FakeCall): ToolResult {
  const url = String(args['url'] ?? '');
  return {
    content: [{ type: 'text', text: `### Page\n- Page URL: ${url}\n- Page Title: ${url.split('/').at(-1)}` }],
  };
}

async function begin(
  text: string,
  {
    pool = { instances: 2 },
    names = ['a', 'b', 'c', 'd'],
    retries = 0,
    tabs = 1,
    answer = pageOf,
  }: Given = {},
) {
  const { clock, driver, pools } = await poolOf(pool);
  driver.answer = answer;
  const files = await mkdtemp(join(tmpdir(), 'pwpool-run-'));
  onTestFinished(() => rm(files, { recursive: true }));
  const script = parseScript(text, 's.yaml', toolset, { hasRows: true });
  async function* data() {
    for (const [index, name] of names.entries())
      yield { number: index + 1, line: index + 1, value: { name } };
  }
  const results: RowResult[] = [];
  const attempts: JournalEntry[] = [];
  const trouble: PwpoolError[] = [];
  const browsers = new OwnBrowsers(pools, { clock, toolset, clean: script.clean, tabs, files });
  const report = onBrowsers(browsers, () =>
    runRows(browsers, stepWork(script, { clock, toolset, env: {} }), selectRows(data(), {}, new LeftOut()), {
      ...{ clock, retries, files },
      onAttempt: (entry) => attempts.push(entry),
      onResult: (result) => results.push(result),
      onTrouble: (error) => trouble.push(error),
    }),
  );
  return { clock, driver, pools, files, results, attempts, trouble, report };
}

async function onBrowsers<T>(browsers: AsyncDisposable, work: () => Promise<T>): Promise<T> {
  await using _browsers = browsers;
  return await work();
}

const failed = (code: 'ELEMENT_NOT_FOUND' | 'NAVIGATION_TIMEOUT') =>
  failureResult(new PwpoolError(code, 'It did not work.'));

describe('rows', () => {
  it('run on the instances of a pool, each with its own values, and give what is to be extracted', async () => {
    const { report, results, attempts, driver } = await begin(TITLES);
    expect(await report).toEqual({ done: 4, failed: 0, retries: 0 });
    const sorted = results.sort((one, other) => one.row - other.row);
    expect(sorted.map((result) => result.ok && result.result)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => ({ name, title: name })),
    );
    expect(new Set(driver.calls.map(({ instance }) => instance))).toEqual(new Set(['0', '1']));
    expect(attempts.map(({ instance, code }) => [instance, code])).toContainEqual(['WEB/1', 'OK']);
  });

  it('cost a retry, not a row, when the browser crashes in the middle [arch-bulk-05]', async () => {
    const run = await begin(TITLES, {
      names: ['a', 'b', 'c'],
      retries: 1,
      answer: (call) => {
        const isFirst = run.attempts.every(({ code }) => code === 'OK');
        if (call.args['url'] === 'https://a.example/b' && isFirst) run.driver.browser(call.instance).crash();
        return pageOf(call);
      },
    });
    await run.clock.advance(250);
    expect(await run.report).toEqual({ done: 3, failed: 0, retries: 1 });
    const ofRow = run.attempts.filter(({ row }) => row === 2).map(({ attempt, code }) => [attempt, code]);
    expect(ofRow).toEqual([
      [1, 'INSTANCE_CRASHED'],
      [2, 'OK'],
    ]);
    expect(run.results.map(({ row, attempts }) => [row, attempts])).toContainEqual([2, 2]);
  });

  it('run on tabs of one browser, so many at once, each with files of its own, after one setup [arch-bulk-15]', async () => {
    const { report, results, driver, pools } = await begin(
      `clean: lease\nsetup: [ { tool: browser_tabs, args: { action: list } } ]\n${TITLES}`,
      { pool: { instances: 2 }, names: ['a', 'b', 'c', 'd', 'e'], tabs: 3 },
    );
    expect(await report).toEqual({ done: 5, failed: 0, retries: 0 });
    expect(results.map((result) => result.ok && result.result)).toContainEqual({ name: 'e', title: 'e' });
    // The first browser has three rows at once, the second the others, and each its setup.
    expect(driver.calls.filter(({ tool }) => tool === 'browser_tabs')).toHaveLength(2);
    const tabs = driver.browsers.flatMap((browser) => browser.tabs);
    expect(tabs.every(({ disposed }) => disposed)).toBe(true);
    const folders = tabs.map(({ folders }) => folders?.outputDir.split('/').at(-1));
    expect(folders).toEqual(expect.arrayContaining(['1', '2', '3', '4', '5']));
    expect(pools.status().summary.leased_instances).toBe(0);
  });

  it('on tabs cost a retry each when their browser crashes [arch-bulk-15]', async () => {
    const run = await begin(`clean: lease\n${TITLES}`, {
      ...{ pool: { instances: 1 }, names: ['a', 'b', 'c'], tabs: 3, retries: 1 },
      answer: (call) => {
        const isFirst = run.attempts.length === 0;
        if (isFirst && run.driver.calls.length === 3) run.driver.browser(call.instance).crash();
        return pageOf(call);
      },
    });
    await run.clock.advance(250);
    expect(await run.report).toEqual({ done: 3, failed: 0, retries: 3 });
    const lost = run.attempts.filter(({ code }) => code === 'INSTANCE_CRASHED');
    expect(lost.map(({ row, attempt }) => [row, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it('on tabs let a browser go in which one of them failed, once the others are done [arch-bulk-15]', async () => {
    const text = `clean: lease\n${TITLES}expect: [ "steps.page.title != 'a'" ]\n`;
    const { report, driver } = await begin(text, {
      ...{ pool: { instances: 1 }, names: ['a', 'b', 'c', 'd'], tabs: 2 },
    });
    expect(await report).toMatchObject({ done: 3, failed: 1 });
    expect(driver.browser('0').resetting.count).toBe(2);
  });

  it('on tabs share what the browser keeps: with a clean one for each they are refused [arch-bulk-15]', async () => {
    await expect(begin(TITLES, { tabs: 2 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: '2 tabs of a browser share its cookies and storage: that needs clean: lease.',
    });
  });

  it('fail with the step that failed and its code, or with what was found in place of what was expected', async () => {
    const text = `${TITLES}expect: [ "steps.page.title == 'a'" ]\n`;
    const { report, results } = await begin(text, {
      names: ['a', 'b', 'c'],
      answer: (call) =>
        call.args['url'] === 'https://a.example/c' ? failed('NAVIGATION_TIMEOUT') : pageOf(call),
    });
    expect(await report).toMatchObject({ done: 1, failed: 2 });
    expect(results.filter(({ ok }) => !ok)).toEqual([
      expect.objectContaining({
        row: 2,
        error: expect.objectContaining({
          code: 'EXPECTATION_FAILED',
          message: `Expected steps.page.title == 'a': steps.page.title = "b".`,
        }),
      }),
      expect.objectContaining({
        row: 3,
        error: expect.objectContaining({
          code: 'NAVIGATION_TIMEOUT',
          message: 'Step 1 (browser_navigate): It did not work.',
        }),
      }),
    ]);
  });

  it('leave steps out by `when`, repeat them by `for_each`, and go on after one that may fail', async () => {
    const text = `
steps:
  - tool: browser_navigate
    args: { url: "https://a.example/{{row.name}}/{{item}}/{{index}}" }
    for_each: [x, "{{row.name}}"]
    save_as: pages
  - { tool: browser_click, args: { target: "#more" }, when: "row.name == 'b'", on_error: continue, save_as: click }
extract: { urls: "{{steps.pages[*].url}}", click: "{{steps.click.error.code}}" }
`;
    const { report, results } = await begin(text, {
      pool: { instances: 1 },
      names: ['a', 'b'],
      answer: (call) => (call.tool === 'browser_click' ? failed('ELEMENT_NOT_FOUND') : pageOf(call)),
    });
    expect(await report).toMatchObject({ done: 2, failed: 0 });
    expect(results.map((result) => result.ok && result.result)).toEqual([
      { urls: ['https://a.example/a/x/0', 'https://a.example/a/a/1'], click: null },
      { urls: ['https://a.example/b/x/0', 'https://a.example/b/b/1'], click: 'ELEMENT_NOT_FOUND' },
    ]);
  });

  it('each have a clean browser, or go on in the same with setup and teardown around them', async () => {
    const around = `
setup: [{ tool: browser_navigate, args: { url: "https://a.example/login" } }]
teardown: [{ tool: browser_navigate, args: { url: "https://a.example/logout" } }]
`;
    const visited = async (clean: string) => {
      const run = await begin(`clean: ${clean}\n${around}${TITLES}`, {
        pool: { instances: 1 },
        names: ['a', 'b'],
      });
      await run.report;
      return {
        urls: run.driver.calls.map(({ args }) => String(args['url']).split('/').at(-1)),
        resets: run.driver.browser('0').resetting.count,
      };
    };
    const each = ['login', 'a', 'logout', 'login', 'b', 'logout'];
    expect(await visited('row')).toEqual({ urls: each, resets: 2 });
    expect(await visited('lease')).toEqual({ urls: ['login', 'a', 'b', 'logout'], resets: 1 });
  });

  it('have a folder each for their files [arch-bulk-11]', async () => {
    const folders: string[] = [];
    const run = await begin(TITLES, {
      pool: { instances: 1 },
      answer: (call) => {
        folders.push(run.driver.browser('0').folders?.outputDir ?? '');
        return pageOf(call);
      },
    });
    await run.report;
    expect(folders).toEqual([1, 2, 3, 4].map((number) => join(run.files, String(number))));
  });

  it('that are none fail without a browser', async () => {
    const { pools } = await poolOf({ instances: 1, lazy: true });
    const fault = new PwpoolError('INVALID_ARGUMENTS', 'rows.csv:2: too few cells.');
    async function* data() {
      yield { number: 1, line: 2, value: {}, fault };
    }
    const results: RowResult[] = [];
    const script = parseScript(TITLES, 's.yaml', toolset, { hasRows: true });
    const work = stepWork(script, { clock: pools.clock, toolset, env: {} });
    const { clock } = pools;
    const browsers = new OwnBrowsers(pools, { clock, toolset, clean: script.clean, files: tmpdir() });
    await runRows(browsers, work, selectRows(data(), { unique: true }, new LeftOut()), {
      ...{ clock, retries: 3, files: tmpdir() },
      onResult: (result) => results.push(result),
    });
    expect(results).toEqual([expect.objectContaining({ ok: false, attempts: 1, error: fault.toJSON() })]);
  });
});
