import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type Asker, type ControlOperations, defineOperation } from '../../src/control/control-operation.js';
import { askOperation } from '../../src/control/operation-client.js';
import type { ServerEntry } from '../../src/control/runtime-registry.js';
import { runningServers } from '../../src/control/runtime-registry.js';
import { serveControl } from '../../src/control/serve-control.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { temporaryDirectory } from './temporary-directory.js';

const count = defineOperation(z.strictObject({ to: z.int() }), async ({ to }, { tell }) => {
  for (let number = 1; number <= to; number++) tell({ number });
  return { counted: to };
});

/** A server of this process that can be asked for these operations. */
async function serve(operations: ControlOperations): Promise<{ entry: ServerEntry; clock: FakeClock }> {
  const clock = new FakeClock();
  const env = { PWPOOL_RUNTIME_DIR: await temporaryDirectory() };
  const control = await serveControl({ source: {}, operations, version: '1.2.3', clock, env });
  onTestFinished(() => control[Symbol.asyncDispose]());
  const [entry] = await runningServers(env);
  if (!entry) throw new Error('The server runs.');
  return { entry, clock };
}

test('an operation tells what it does, then what came of it', async () => {
  const { entry, clock } = await serve({ count });
  const told: unknown[] = [];
  const result = await askOperation(entry, 'count', { to: 3 }, { clock, onTold: (each) => told.push(each) });
  expect(told).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  expect(result).toEqual({ counted: 3 });
  expect(clock.pendingTimers).toBe(0);
});

test('an input that it does not take is refused, with what it takes', async () => {
  const { entry, clock } = await serve({ count });
  const asking = askOperation(entry, 'count', { upto: 3 }, { clock });
  await expect(asking).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', hint: 'It takes: to.' });
});

test('an input that is too large is refused, with what to do', async () => {
  const { entry, clock } = await serve({ count });
  const asking = askOperation(entry, 'count', { to: 'x'.repeat(11 * 1024 * 1024) }, { clock });
  await expect(asking).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: 'The input has more than 10485760 bytes.',
    hint: 'Send less: name a file in place of its content.',
  });
});

test('an operation that the server does not have is told with those that it has', async () => {
  const { entry, clock } = await serve({ count });
  await expect(askOperation(entry, 'dance', {}, { clock })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: 'This pwpool server has no operation POST /dance.',
    hint: 'It has: GET /version, POST /count.',
  });
});

test('a failure keeps its code, hint and details', async () => {
  const failure = new PwpoolError('POOL_NOT_FOUND', 'No such pool.', {
    hint: 'Use A.',
    details: { pool: 'B' },
  });
  const fail = defineOperation(z.strictObject({}), async () => {
    throw failure;
  });
  const { entry, clock } = await serve({ fail });
  await expect(askOperation(entry, 'fail', {}, { clock })).rejects.toMatchObject(failure.toJSON());
});

test('who leaves ends the asking, and not what was begun [arch-operate-02]', async () => {
  let asker: Asker | undefined;
  let finish = () => {};
  const finished = vi.fn();
  const long = defineOperation(z.strictObject({}), async (_, asking) => {
    asker = asking;
    asking.tell('begun');
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    finished();
    return {};
  });
  const { entry, clock } = await serve({ long });
  const leaving = new AbortController();
  const asking = askOperation(
    entry,
    'long',
    {},
    { clock, signal: leaving.signal, onTold: () => leaving.abort() },
  );
  await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => asker?.left.aborted).toBe(true);
  expect(finished).not.toHaveBeenCalled();
  finish();
  await expect.poll(() => finished.mock.calls).toHaveLength(1);
});

test('who does not read what is told is cut off', async () => {
  let cutOff = () => {};
  const ended = new Promise<void>((resolve) => {
    cutOff = resolve;
  });
  const flood = defineOperation(z.strictObject({}), async (_, { tell, left }) => {
    while (!left.aborted) {
      tell('x'.repeat(1024 * 1024));
      await new Promise((resolve) => setImmediate(resolve));
    }
    cutOff();
    return {};
  });
  const { entry } = await serve({ flood });
  const asking = request({ socketPath: entry.socketPath, path: '/flood', method: 'POST', agent: false });
  asking.on('response', (response) => response.pause().on('error', () => {}));
  asking.on('error', () => {});
  asking.end();
  await ended;
  asking.destroy();
});
