// @module-tag at-length
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PlaywrightSession } from '../../src/connection/playwright-session.js';
import { serve } from './fixtures/http-tool-server.js';
import { playwrightMcp, servePlaywrightMcp } from './fixtures/playwright-mcp.js';
import { descendantsOf, isRunning } from './fixtures/processes.js';

const page = (title: string) => ({ url: `data:text/html,<title>${title}</title>` });
const titleOf = (session: PlaywrightSession) =>
  session.callTool('browser_evaluate', { function: '() => document.title' });

describe('a session with playwright-mcp', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pwpool-session-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('[001-life-02] [001-transport-01] [001-life-04] keeps the page from call to call over stdio, and leaves no process', async () => {
    const session = new PlaywrightSession(playwrightMcp(folder));
    await session.callTool('browser_navigate', page('kept'));
    expect(await titleOf(session)).toContain('"kept"');
    expect(await session.callTool('browser_snapshot')).toContain('Page Title: kept');
    const shot = await session.callTool('browser_take_screenshot', {}, { returnMode: 'full' });
    expect(shot.map(({ type }) => type)).toContain('image');
    const pids = [session.processId ?? 0, ...descendantsOf(session.processId ?? 0)];
    expect(pids.length).toBeGreaterThan(1);
    await session.close();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it('[001-weakness-02] recovers from a server that is killed between calls and within one', async () => {
    await using silent = await serve(async () => undefined);
    await using session = new PlaywrightSession(playwrightMcp(folder));
    await session.connect();
    process.kill(session.processId ?? 0, 'SIGKILL');
    await expect.poll(() => session.connected).toBe(false);

    await session.callTool('browser_navigate', page('second'));
    expect(await titleOf(session)).toContain('"second"');
    const second = [session.processId ?? 0, ...descendantsOf(session.processId ?? 0)];
    const endless = session.callTool('browser_navigate', { url: silent.url });
    const failed = expect(endless).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    await silent.reached;
    process.kill(session.processId ?? 0, 'SIGKILL');
    await failed;

    expect(await session.listTools()).not.toEqual([]);
    expect(session.metrics).toMatchObject({ connects: 3, reconnects: 2, calls: 3, failures: 1 });
    await expect.poll(() => second.filter(isRunning)).toEqual([]);
  });

  it('[001-transport-02] [001-weakness-01] [001-weakness-02] works over Streamable HTTP, and over SSE, found by falling back; reconnects to a server that was killed', async () => {
    const server = await servePlaywrightMcp(folder);
    const { port } = new URL(server.origin);
    let again: typeof server | undefined;
    const sessions = ['/mcp', '/sse'].map((path) => new PlaywrightSession(server.origin + path));
    try {
      const endless = await Promise.all(sessions.map(useOverHttp));
      const browsers = descendantsOf(server.pid);
      await server.kill();
      for (const { ended } of endless) await ended;
      expect(sessions.map(({ connected }) => connected)).toEqual([false, false]);

      again = await servePlaywrightMcp(folder, Number(port));
      for (const session of sessions) {
        expect(await session.listTools()).not.toEqual([]);
        expect(session.metrics).toMatchObject({ connects: 2, reconnects: 1 });
      }
      await expect.poll(() => browsers.filter(isRunning)).toEqual([]);
    } finally {
      await Promise.all(sessions.map((session) => session.close()));
      await server.kill();
      await again?.kill();
    }
  });
});

/** First calls at once, and then one without end, which has begun; `ended` tells what becomes of it. */
async function useOverHttp(session: PlaywrightSession): Promise<{ ended: Promise<void> }> {
  await Promise.all([
    session.ping(),
    session.listTools(),
    session.callTool('browser_navigate', page('over http')),
  ]);
  expect(await titleOf(session)).toContain('"over http"');
  expect(session.metrics.connects).toBe(1);
  const silent = await serve(async () => undefined);
  onTestFinished(() => silent[Symbol.asyncDispose]());
  const endless = session.callTool('browser_navigate', { url: silent.url });
  const ended = expect(endless).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
  await silent.reached;
  return { ended };
}
