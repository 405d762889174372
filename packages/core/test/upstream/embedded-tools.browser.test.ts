import type { EventEmitter } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { connectEmbeddedTools, listEmbeddedTools } from '../../src/upstream/embedded-tools.js';
import { launchChromium } from '../driver/fixtures/browsers.js';

const textOf = (result: ToolResult) =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** What pwpool relies on in upstream's unpublished entry point. When one of these fails, upstream has changed. */
describe('the contract with upstream’s tool server', () => {
  let browser: Browser;
  let outputDir: string;
  const signal = new AbortController().signal;
  const timeouts = { action: 5_000, navigation: 20_000, settle: 0 };

  beforeAll(async () => {
    outputDir = await mkdtemp(join(tmpdir(), 'pwpool-tools-'));
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await rm(outputDir, { recursive: true, force: true });
  });

  it('lists the default tools without a browser, each with a schema for its arguments', async () => {
    const tools = await listEmbeddedTools([]);
    const names = tools.map(({ name }) => name);
    for (const name of [
      'browser_navigate',
      'browser_snapshot',
      'browser_click',
      'browser_close',
      'browser_run_code_unsafe',
    ]) {
      expect(names).toContain(name);
    }
    expect(tools.every(({ inputSchema }) => inputSchema.type === 'object')).toBe(true);
    for (const target of ['sessionId', 'browser_pool', 'browser_instance']) {
      expect(tools.filter(({ inputSchema }) => target in (inputSchema.properties ?? {}))).toEqual([]);
    }
  });

  it('leaves no process-wide listener for rejections behind', async () => {
    const before = process.listeners('unhandledRejection');
    const context = await browser.newContext();
    const tools = await connectEmbeddedTools(context, { capabilities: [], outputDir, timeouts }, systemClock);
    expect(process.listeners('unhandledRejection')).toEqual(before);
    await tools.callTool('browser_navigate', { url: 'about:blank' }, signal);
    expect(process.listeners('unhandledRejection')).toEqual(before);
    await tools[Symbol.asyncDispose]();
    await context.close();
  });

  it('leaves nothing on a browser that goes on, also when the context was closed first', async () => {
    const emitter = browser as unknown as EventEmitter;
    const before = emitter.listenerCount('disconnected');
    for (const closeFirst of [true, false]) {
      const context = await browser.newContext();
      const tools = await connectEmbeddedTools(
        context,
        { capabilities: [], timeouts, outputDir },
        systemClock,
      );
      // Without a listener of upstream's there would be nothing to take off.
      expect(emitter.listenerCount('disconnected')).toBe(before + 1);
      if (closeFirst) await context.close();
      await tools[Symbol.asyncDispose]();
      await context.close();
    }
    expect(emitter.listenerCount('disconnected')).toBe(before);
  });

  it('works on the context that it is given, and leaves it alone when it is disposed of', async () => {
    const context = await browser.newContext();
    const tools = await connectEmbeddedTools(context, { capabilities: [], outputDir, timeouts }, systemClock);
    await tools.callTool('browser_navigate', { url: 'data:text/html,<title>given</title>' }, signal);
    expect(await context.pages()[0]?.title()).toBe('given');
    await tools[Symbol.asyncDispose]();
    expect(context.pages()).toHaveLength(1);
    await context.close();
  });

  it('ends the connection also when a page hangs, after three seconds', async () => {
    const context = await browser.newContext();
    const clock = new FakeClock();
    const tools = await connectEmbeddedTools(context, { capabilities: [], outputDir, timeouts }, clock);
    await tools.callTool('browser_navigate', { url: 'about:blank' }, signal);
    const hung = context.pages()[0]?.evaluate(() => {
      console.log('now');
      for (;;);
    });
    hung?.catch(() => {});
    await context.waitForEvent('console');
    const disposed = tools[Symbol.asyncDispose]();
    await clock.advance(3_000);
    await disposed;
    await context.close();
  });

  it('answers a navigation with an absolute link to a file in the output directory, a snapshot inline', async () => {
    const context = await browser.newContext();
    const own = join(outputDir, 'own');
    const options = { capabilities: [], outputDir: own, filePaths: 'absolute', timeouts } as const;
    const tools = await connectEmbeddedTools(context, options, systemClock);
    const url = 'data:text/html,<title>t</title><button>Go</button>';
    const navigated = textOf(await tools.callTool('browser_navigate', { url }, signal));
    const [file] = await readdir(own);
    expect(navigated).toContain(`- [Snapshot](${join(own, file ?? '')})`);
    expect(textOf(await tools.callTool('browser_snapshot', {}, signal))).toContain('- button "Go" [ref=');
    await tools[Symbol.asyncDispose]();
    await context.close();
  });

  it('holds the snapshot in the answer of an action if that is wanted, and writes no file [arch-answer-01]', async () => {
    const context = await browser.newContext();
    const own = join(outputDir, 'unused');
    const options = { capabilities: [], outputDir: own, snapshotsInAnswers: true, timeouts } as const;
    const tools = await connectEmbeddedTools(context, options, systemClock);
    const url = 'data:text/html,<title>t</title><button>Go</button>';
    const inAnswer =
      /^### Snapshot\n```yaml\n- button "Go" (?:\[active\] )?\[ref=\w+\](?: \[cursor=pointer\])?\n```$/m;
    expect(textOf(await tools.callTool('browser_navigate', { url }, signal))).toMatch(inAnswer);
    const clicked = textOf(await tools.callTool('browser_click', { target: 'button' }, signal));
    expect(clicked).toMatch(inAnswer);
    // A tool that answers with none has none.
    expect(textOf(await tools.callTool('browser_evaluate', { function: '() => 1' }, signal))).not.toContain(
      '### Snapshot',
    );
    expect(await readdir(outputDir)).not.toContain('unused');
    await tools[Symbol.asyncDispose]();
    await context.close();
  });

  it('looks for a target that is a selector without a handle in the page’s world, unless it is not there', async () => {
    const context = await browser.newContext();
    const options = { capabilities: [], outputDir, timeouts, settle: 'adaptive' } as const;
    const tools = await connectEmbeddedTools(context, options, systemClock);
    const url = 'data:text/html,<button>Go</button><iframe srcdoc="<button>Framed</button>"></iframe>';
    await tools.callTool('browser_navigate', { url }, signal);
    const [page] = context.pages();
    if (!page) throw new Error('No page is open.');
    const handle = vi.spyOn(page, '$');
    const targets = [
      'button',
      "getByRole('button', { name: 'Go' })",
      'iframe >> internal:control=enter-frame >> button',
    ];
    for (const target of targets) {
      const { isError } = await tools.callTool('browser_click', { target }, signal);
      expect([target, isError ?? false]).toEqual([target, false]);
    }
    expect(handle).not.toHaveBeenCalled();
    for (const target of ['#missing', 'button:nonsense()']) {
      const { isError } = await tools.callTool('browser_click', { target }, signal);
      expect([target, isError]).toEqual([target, true]);
    }
    expect(textOf(await tools.callTool('browser_click', { target: '#missing' }, signal))).toContain(
      '#missing',
    );
    expect(handle).toHaveBeenCalled();
    await tools[Symbol.asyncDispose]();
    await context.close();
  });
});
