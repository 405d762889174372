import { PwpoolError } from '@pwpool/core';
import { describe, expect, it } from 'vitest';
import { Lines } from '../../src/shared/lines.js';
import { type Served, startEnd } from './end-fixture.js';

const INITIALIZE = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } };
const MODERN = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

/** The n-th connection that the end has opened, once it has. */
async function connection(served: readonly Served[], number: number): Promise<Served> {
  await expect.poll(() => served.length).toBeGreaterThanOrEqual(number);
  const found = served[number - 1];
  if (!found) throw new Error('no such connection');
  return found;
}

describe('the end of a window', () => {
  it('passes messages both ways as they are, also what it does not know', async () => {
    const { served, answers, ask } = await startEnd();
    ask({ id: 'a', method: 'tools/list' });
    ask({ method: 'notifications/of-tomorrow', params: { tief: ['ü', '\u2028'] } });
    const server = await connection(served, 1);
    await expect.poll(() => server.heard).toHaveLength(2);
    expect(server.heard[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/of-tomorrow',
      params: { tief: ['ü', '\u2028'] },
    });
    server.say({ id: 1, method: 'roots/list' });
    server.say({ id: 'a', result: { tools: [] } });
    await expect.poll(() => answers).toHaveLength(2);
    ask({ id: 1, result: { roots: [] } });
    await expect.poll(() => server.heard).toHaveLength(3);
  });

  it('answers a call whose server ended with INSTANCE_CRASHED, in the form of its era, and the next one gets another server [arch-shared-05]', async () => {
    const { served, answers, ask } = await startEnd();
    ask({ id: 1, method: 'tools/call', params: { name: 'browser_click' } });
    ask({ id: 2, method: 'tools/call', params: { name: 'browser_click', ...MODERN } });
    const first = await connection(served, 1);
    await expect.poll(() => first.heard).toHaveLength(2);
    await first.die();
    await expect.poll(() => answers).toHaveLength(2);
    for (const answer of answers)
      expect(answer).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringMatching(/INSTANCE_CRASHED: .*\nCall again: sessions go on/) }],
          structuredContent: { error: { code: 'INSTANCE_CRASHED', retryable: true } },
        },
      });
    expect(answers[0]?.['result']).not.toHaveProperty('resultType');
    expect(answers[1]?.['result']).toHaveProperty('resultType', 'complete');
    expect(served).toHaveLength(1);
    ask({ id: 3, method: 'tools/call', params: { name: 'browser_click' } });
    const second = await connection(served, 2);
    await expect.poll(() => second.heard).toMatchObject([{ id: 3 }]);
  });

  it('tells the next server how a client of the 2025 revisions has introduced itself, and the client nothing of it', async () => {
    const { served, answers, ask } = await startEnd();
    ask({ id: 0, ...INITIALIZE });
    const first = await connection(served, 1);
    await expect.poll(() => first.heard).toHaveLength(1);
    first.say({ id: 0, result: { protocolVersion: '2025-06-18' } });
    await expect.poll(() => answers).toHaveLength(1);
    ask({ method: 'notifications/initialized' });
    await expect.poll(() => first.heard).toHaveLength(2);
    await first.die();
    ask({ id: 1, method: 'tools/call', params: {} });
    const second = await connection(served, 2);
    await expect.poll(() => second.heard).toHaveLength(1);
    expect(second.heard[0]).toMatchObject({ ...INITIALIZE, id: 'pwpool:initialize' });
    second.say({ id: 'pwpool:initialize', result: {} });
    await expect.poll(() => second.heard).toHaveLength(3);
    expect(second.heard.slice(1)).toMatchObject([{ method: 'notifications/initialized' }, { id: 1 }]);
    second.say({ id: 1, result: {} });
    await expect.poll(() => answers).toHaveLength(2);
    expect(answers[1]).toMatchObject({ id: 1 });
  });

  it('asks the next server again what only asks, and gives up when no server says anything', async () => {
    const { served, answers, ask } = await startEnd();
    ask({ id: 1, method: 'tools/list' });
    for (const number of [1, 2]) {
      const server = await connection(served, number);
      await expect.poll(() => server.heard).toMatchObject([{ id: 1, method: 'tools/list' }]);
      await server.die();
    }
    const third = await connection(served, 3);
    await expect.poll(() => third.heard).toHaveLength(1);
    await third.die();
    await expect
      .poll(() => answers)
      .toMatchObject([{ id: 1, error: { data: { code: 'INSTANCE_CRASHED' } } }]);
  });

  it('forgets a call that was cancelled, and refuses a message that is too long by itself', async () => {
    const { served, answers, ask } = await startEnd();
    ask({ id: 1, method: 'tools/call', params: {} });
    ask({ method: 'notifications/cancelled', params: { requestId: 1 } });
    const server = await connection(served, 1);
    await expect.poll(() => server.heard).toHaveLength(2);
    ask({ id: 2, method: 'tools/call', params: { text: 'x'.repeat(11 * 1024 * 1024) } });
    await expect.poll(() => answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({
      id: 2,
      result: { structuredContent: { error: { code: 'INVALID_ARGUMENTS' } } },
    });
    await server.die();
    ask({ id: 3, method: 'tools/call', params: {} });
    await connection(served, 2);
    expect(answers).toHaveLength(1);
  });

  it('tells everybody who waits why there is no server, and looks for one again with the next request', async () => {
    const { served, answers, ask, refuse, logged } = await startEnd();
    const first = await connection(served, 1);
    refuse(
      new PwpoolError('BROWSER_NOT_READY', 'The shared server did not start: no room.', {
        hint: 'Make room.',
      }),
    );
    await first.die();
    ask({ id: 1, method: 'tools/call', params: {} });
    ask({ id: 2, method: 'tools/list' });
    await expect.poll(() => answers).toHaveLength(2);
    expect(answers[0]).toMatchObject({ result: { structuredContent: { error: { hint: 'Make room.' } } } });
    expect(answers[1]).toMatchObject({
      error: { message: expect.stringContaining('did not start: no room.') },
    });
    expect(logged[0]).toContain('no room. Make room.');
    refuse(undefined);
    ask({ id: 3, method: 'tools/list' });
    await expect.poll(() => served.at(-1)?.heard).toMatchObject([{ id: 3 }]);
  });

  it('says that its window has gone, once the running calls are answered', async () => {
    const { served, answers, ask, input, running } = await startEnd({ graceMs: 30_000 });
    ask({ id: 1, method: 'tools/call', params: {} });
    const server = await connection(served, 1);
    await expect.poll(() => server.heard).toHaveLength(1);
    input.end();
    server.say({ id: 1, result: {} });
    await expect.poll(() => server.heard.at(-1)).toEqual({ pwpool: 'leave' });
    await server.die();
    expect(await running).toBe(true);
    expect(answers).toHaveLength(1);
  });
});

it('lines are put together from pieces of any size', () => {
  const text = 'first ü\n\n{"a":"\u2028"}\nlast';
  for (let size = 1; size < 12; size++) {
    const lines = new Lines();
    const bytes = Buffer.from(text);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      found.push(...lines.push(bytes.subarray(at, at + size)).map(String));
    expect(found).toEqual(['first ü\n', '\n', '{"a":"\u2028"}\n']);
  }
});
