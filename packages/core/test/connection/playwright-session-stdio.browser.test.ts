import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { PlaywrightSession } from '../../src/connection/playwright-session.js';
import type { ReturnMode } from '../../src/connection/return-mode.js';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from './fixtures/processes.js';

const SERVER = fileURLToPath(new URL('fixtures/tool-server.mjs', import.meta.url));

describe('a session over stdio', () => {
  let folder: string;
  let journal: string;
  let session: PlaywrightSession;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pwpool-session-'));
    journal = join(folder, 'journal');
    session = new PlaywrightSession({ command: process.execPath, args: [SERVER, journal] });
  });

  afterEach(async () => {
    await session.close();
    await rm(folder, { recursive: true, force: true });
  });

  const notes = async () => (await readFile(journal, 'utf8')).split('\n').filter((line) => line !== '');

  it('[001-weakness-01] makes one connection for any number of first calls at once', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const pids = await Promise.all(Array.from({ length: 20 }, () => session.callTool('pid')));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    expect(new Set(pids)).toEqual(new Set([String(session.processId)]));
    expect(session.metrics).toMatchObject({ connects: 1, reconnects: 0, calls: 20, failures: 0 });
  });

  it('[001-transport-01] [001-life-02] keeps its child process from call to call', async () => {
    await session.connect();
    const { processId } = session;
    expect(await session.callTool('pid', {})).toBe(String(processId));
    await session.connect();
    expect(await session.callTool('pid')).toBe(String(processId));
    expect(session.metrics.connects).toBe(1);
  });

  it('[001-life-04] ends the child process when it is closed, and may be closed again', async () => {
    const pid = Number(await session.callTool('pid'));
    expect(isRunning(pid)).toBe(true);
    await Promise.all([session.close(), session.close()]);
    expect(isRunning(pid)).toBe(false);
    await session.close();
    expect(session).toMatchObject({ connected: false, processId: null });
    expect(await session.ping()).toBe(false);
    for (const call of [session.callTool('pid'), session.listTools(), session.connect()]) {
      await expect(call).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    }
  });

  it('[001-weakness-04] is closed when an await using scope ends, also by an exception', async () => {
    let pid = 0;
    const scope = async () => {
      await using scoped = new PlaywrightSession({ command: process.execPath, args: [SERVER, journal] });
      pid = Number(await scoped.callTool('pid'));
      throw new Error('out of the scope');
    };
    await expect(scope()).rejects.toThrow('out of the scope');
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  it('[001-life-04] leaves no child process when it is closed while it connects', async () => {
    // This child prints its id and never shakes hands.
    const script = `require('fs').writeFileSync(${JSON.stringify(journal)}, String(process.pid)); process.stdin.resume()`;
    const silent = new PlaywrightSession({ command: process.execPath, args: ['-e', script] });
    const call = silent.callTool('pid');
    const rejected = expect(call).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect.poll(() => readFile(journal, 'utf8').catch(() => '')).not.toBe('');
    const pid = Number(await readFile(journal, 'utf8'));
    expect(isRunning(pid)).toBe(true);
    await silent.close();
    await rejected;
    expect(isRunning(pid)).toBe(false);
  });

  it('[001-weakness-02] [001-life-04] takes a server that hangs for lost, and kills it when neither stdin nor SIGTERM ends it', async () => {
    const clock = new FakeClock();
    const target = { command: process.execPath, args: [SERVER, journal] };
    const hanging = new PlaywrightSession(target, { clock });
    const pid = Number(await hanging.callTool('pid'));
    const call = hanging.callTool('hang', {}, { timeout: 1_000 });
    const late = expect(call).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    await expect.poll(notes).toContain('hang');
    await clock.advance(1_000);
    await late;
    expect(hanging.connected).toBe(true);
    await clock.advance(5_000);
    expect(hanging.connected).toBe(false);
    expect(Number(await hanging.callTool('pid'))).not.toBe(pid);
    await hanging.close();
    expect(isRunning(pid)).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('[001-life-03] rejects every caller with the reason when connecting fails, and tries again with the next call', async () => {
    const script = 'console.error("the browser is not installed"); process.exit(3)';
    const failing = new PlaywrightSession({ command: process.execPath, args: ['-e', script] });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => failing.callTool('pid')));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        reason: {
          code: 'BROWSER_NOT_READY',
          message: expect.stringContaining('the browser is not installed'),
          hint: expect.any(String),
        },
      });
    }
    await failing.close();

    const missing = new PlaywrightSession({ command: join(folder, 'no-such-command') });
    await expect(missing.callTool('pid')).rejects.toMatchObject({
      code: 'BROWSER_NOT_READY',
      message: expect.stringContaining('ENOENT'),
    });
    await missing.close();
  });

  it('[001-weakness-02] notices that the server was killed between calls, and reconnects with the next', {
    tags: ['at-length'],
  }, async () => {
    const pid = Number(await session.callTool('pid'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => session.connected).toBe(false);
    expect(session.processId).toBeNull();
    const next = await session.callTool('pid');
    expect(next).toBe(String(session.processId));
    expect(Number(next)).not.toBe(pid);
    expect(session.metrics).toMatchObject({ connects: 2, reconnects: 1, calls: 2, failures: 0 });
  });

  it('[001-weakness-02] repeats a read-only call whose server was killed within it', async () => {
    expect(await session.callTool('read_and_die')).toBe('read_and_die done');
    expect(await notes()).toEqual(['read_and_die', 'tools/list', 'read_and_die']);
    expect(session.metrics).toMatchObject({ connects: 2, reconnects: 1, calls: 1, failures: 0 });
  });

  it('[001-weakness-02] does not repeat another call whose server was killed within it', {
    tags: ['at-length'],
  }, async () => {
    await expect(session.callTool('write_and_die')).rejects.toMatchObject({
      code: 'INSTANCE_CRASHED',
      hint: expect.stringContaining('may or may not have taken effect'),
    });
    expect(await notes()).toEqual(['write_and_die', 'tools/list']);
    expect(await session.callTool('pid')).toBe(String(session.processId));
    expect(session.metrics.failures).toBe(1);
  });

  it('[001-weakness-02] repeats a call no more than once', { tags: ['at-length'] }, async () => {
    await expect(session.callTool('read_and_always_die')).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    expect(session.metrics.connects).toBe(2);
  });

  const result: ToolResult = {
    content: [
      { type: 'text', text: 'one' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'two' },
    ],
    structuredContent: { answer: 42 },
    _meta: { page: 7 },
  };

  it('[001-call-01] [001-weakness-06] returns the first text of the result, however the tool is called', async () => {
    expect(await session.callTool('result', { ...result })).toBe('one');
    expect(await session.callTool('result', { ...result }, {})).toBe('one');
    expect(await session.callTool('result', { ...result }, { returnMode: 'first' })).toBe('one');
    expectTypeOf(await session.callTool('pid')).toEqualTypeOf<string>();
  });

  it('[001-weakness-03] [001-extension-02] gives the rest of the result by return mode', async () => {
    const by = <Mode extends ReturnMode>(returnMode: Mode) =>
      session.callTool('result', { ...result }, { returnMode });
    expect(await by('last')).toBe('two');
    expect(await by('text')).toBe('one\ntwo');
    expect(await by('full')).toEqual(result.content);
    expect(await by('raw')).toEqual(result);
    expectTypeOf(await by('full')).toEqualTypeOf<ToolResult['content']>();
    expectTypeOf(await by('raw')).toEqualTypeOf<ToolResult>();
    await expect(by('every' as ReturnMode)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('returnMode'),
    });
  });

  it('[001-call-02] returns an empty string for a result without content', async () => {
    for (const returnMode of ['first', 'last', 'text'] as const) {
      expect(await session.callTool('result', { content: [] }, { returnMode })).toBe('');
    }
    expect(await session.callTool('result', { content: [] }, { returnMode: 'full' })).toEqual([]);
  });

  it('throws what a tool reports as its fault, and returns it in raw mode', async () => {
    const fault = { isError: true, content: [{ type: 'text', text: 'the page is gone' }] };
    for (const returnMode of ['first', 'last', 'text', 'full'] as const) {
      await expect(session.callTool('result', fault, { returnMode })).rejects.toMatchObject({
        code: 'EXECUTION_ERROR',
        message: 'the page is gone',
      });
    }
    expect(await session.callTool('result', fault, { returnMode: 'raw' })).toEqual(fault);
    expect(session.metrics).toMatchObject({ calls: 5, failures: 5, connects: 1 });
  });
});
