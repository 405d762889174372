import { expect, it } from 'vitest';
import { ToolServerConnection } from '../../src/connection/tool-server-connection.js';
import { type ToolServer, ToolServerBrowser } from '../../src/driver/tool-server/tool-server-browser.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { ScriptedTransport } from '../connection/fixtures/scripted-transport.js';
import { instanceConfig } from './process-driver-fixture.js';

/** A server that is not pwpool's, which answers these tools and is silent on all others. */
async function browserOver(answers: Record<string, string | { error: string }>, tools: string[] = []) {
  const clock = new FakeClock();
  const called: unknown[] = [];
  const transport = new ScriptedTransport({
    'tools/call': ({ params }) => {
      called.push(params?.['name']);
      const answer = answers[String(params?.['name'])];
      if (answer === undefined) return 'nothing';
      const text = typeof answer === 'string' ? answer : answer.error;
      return { result: { content: [{ type: 'text', text }], isError: typeof answer !== 'string' } };
    },
  });
  const connection = new ToolServerConnection(transport, clock, () => {});
  await connection.start(new AbortController().signal);
  const lost = new AbortController();
  const server: ToolServer = {
    owned: false,
    processId: null,
    connection,
    tools: new Set(tools),
    lost: lost.signal,
    closing: (call) => call(),
    examine: async () => {},
    giveUp: () => lost.abort(new PwpoolError('INSTANCE_CRASHED', 'Given up.')),
    [Symbol.asyncDispose]: () => connection.close(),
  };
  const browser = new ToolServerBrowser(server, instanceConfig(), clock);
  return {
    browser,
    called,
    async unblock() {
      const unblocked = browser.unblock();
      for (let step = 0; step < 4; step++) {
        // An answer that is there counts, however late it is looked at.
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        await clock.advance(9_500);
      }
      return await unblocked;
    },
  };
}

it('without a tool that runs code, a page that answers stays and one that does not is closed', async () => {
  const well = await browserOver({ browser_snapshot: 'a page' });
  expect(await well.unblock()).toBe(false);
  expect(well.called).toEqual(['browser_snapshot']);

  const stuck = await browserOver({ browser_tabs: 'closed' });
  expect(await stuck.unblock()).toBe(true);
  expect(stuck.called).toEqual(['browser_snapshot', 'browser_tabs']);

  const worse = await browserOver({ browser_close: 'closed' });
  expect(await worse.unblock()).toBe(true);
  expect(worse.called).toEqual(['browser_snapshot', 'browser_tabs', 'browser_close']);
  expect(worse.browser.lost.aborted).toBe(false);
});

it('with a tool that runs code, a browser whose page cannot even be closed is closed itself', async () => {
  const tools = ['browser_run_code_unsafe'];
  for (const [found, closed] of [
    ['well', false],
    ['closed', true],
  ] as const) {
    const { unblock, called } = await browserOver(
      { browser_run_code_unsafe: `### Result\n"${found}"\n### Ran` },
      tools,
    );
    expect(await unblock()).toBe(closed);
    expect(called).toEqual(tools);
  }
  const answers = { browser_run_code_unsafe: '### Result\n"stuck"', browser_close: 'closed' };
  const stuck = await browserOver(answers, tools);
  expect(await stuck.unblock()).toBe(true);
  expect(stuck.called).toEqual([...tools, 'browser_close']);
});

it('a page that shows a dialog is left to its holder', async () => {
  const refusal = {
    error: '### Error\nError: Tool "browser_run_code_unsafe" does not handle the modal state.',
  };
  const { unblock, called } = await browserOver({ browser_run_code_unsafe: refusal }, [
    'browser_run_code_unsafe',
  ]);
  expect(await unblock()).toBe(false);
  expect(called).toEqual(['browser_run_code_unsafe']);
});

it('a server on which nothing helps is given up', async () => {
  const { browser, unblock } = await browserOver({}, ['browser_run_code_unsafe']);
  expect(await unblock()).toBe(true);
  expect(browser.lost.reason).toMatchObject({ code: 'INSTANCE_CRASHED' });
});

it('a server that shares a context between its clients refuses to be reset, and says so', async () => {
  const { browser } = await browserOver({
    browser_close: { error: '### Error\nError: The browser context is shared between clients.\nMore.' },
  });
  await expect(browser.reset()).rejects.toMatchObject({
    code: 'BROWSER_NOT_READY',
    message: 'browser_close failed: The browser context is shared between clients.',
    hint: expect.stringContaining('RESET=never'),
  });
});
