import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { WaitingLine } from '../../src/waiting/waiting-line.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => expect(clock.pendingTimers).toBe(0));

const deadline = (timeoutMs: number) => ({
  clock,
  timeoutMs,
  onTimeout: () => new PwpoolError('CALL_TIMEOUT', 'Too late.'),
});

describe('WaitingLine', () => {
  it('serves in order of arrival, one at a time', async () => {
    const line = new WaitingLine<string>();
    const served: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      void line.wait({ deadline: deadline(100) }).then((value) => served.push(`${name} has ${value}`));
    }
    expect(line.length).toBe(3);
    expect([line.serve('a'), line.serve('b')]).toEqual([true, true]);
    await settle();
    expect(served).toEqual(['first has a', 'second has b']);
    expect([line.serve('c'), line.serve('d'), line.length]).toEqual([true, false, 0]);
    await settle();
  });

  it('serves all who wait, and not who comes because of it', async () => {
    const line = new WaitingLine();
    let late: Promise<void> | undefined;
    const first = line.wait().then(() => {
      late = line.wait();
    });
    const second = line.wait();
    line.serveAll();
    await Promise.all([first, second]);
    expect(await stateOf(late ?? expect.unreachable())).toBe('pending');
  });

  it('lets one leave with its signal, from anywhere, and leaves nothing on it', async () => {
    const line = new WaitingLine();
    const leaving = new AbortController();
    const { signal } = leaving;
    const [first, second, third] = [line.wait(), line.wait({ signal, what: 'The search' }), line.wait()];
    leaving.abort();
    const error = await errorOf(second);
    expect([error.code, error.message]).toEqual(['CANCELLED', 'The search was cancelled by its caller.']);
    expect([line.length, listeners(signal)]).toEqual([2, 0]);
    line.serveAll();
    await Promise.all([first, third]);
  });

  it('throws what the signal was aborted with where the wait has no words', async () => {
    const line = new WaitingLine();
    const leaving = new AbortController();
    const waiting = line.wait({ signal: leaving.signal });
    const reason = new Error('Enough.');
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(line.wait({ signal: leaving.signal })).rejects.toBe(reason);
    expect(line.length).toBe(0);
  });

  it('listens once to a signal that many share', async () => {
    const line = new WaitingLine();
    const shared = new AbortController();
    const waits = Array.from({ length: 20 }, () => line.wait({ signal: shared.signal }));
    expect(listeners(shared.signal)).toBe(1);
    shared.abort(new PwpoolError('SHUTTING_DOWN', 'The end.'));
    expect(await Promise.all(waits.map(stateOf))).toEqual(waits.map(() => 'SHUTTING_DOWN'));
    expect(listeners(shared.signal)).toBe(0);
  });

  it('ends a wait at its deadline, when it has left the line', async () => {
    const line = new WaitingLine();
    let left = -1;
    const onTimeout = () => {
      left = line.length;
      return new PwpoolError('LEASE_TIMEOUT', 'Too late.');
    };
    const { signal } = new AbortController();
    const late = errorOf(line.wait({ signal, deadline: { clock, timeoutMs: 100, onTimeout } }));
    const patient = line.wait({ deadline: deadline(101) });
    await clock.advance(100);
    expect([(await late).code, left, listeners(signal)]).toEqual(['LEASE_TIMEOUT', 1, 0]);
    line.serve();
    await patient;
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses to wait for %s ms', async (timeoutMs) => {
    const line = new WaitingLine();
    expect((await errorOf(line.wait({ deadline: deadline(timeoutMs) }))).code).toBe('INVALID_ARGUMENTS');
    expect(line.length).toBe(0);
  });

  it('refuses all who wait with one error', async () => {
    const line = new WaitingLine();
    const error = new PwpoolError('SHUTTING_DOWN', 'The end.');
    const waits = [line.wait(), line.wait({ deadline: deadline(100) })].map(errorOf);
    line.rejectAll(error);
    expect(await Promise.all(waits)).toEqual([error, error]);
    expect(line.length).toBe(0);
  });

  it('lets many leave without looking at the others', async () => {
    const line = new WaitingLine();
    const reason = new Error('Enough.');
    const leaving = Array.from({ length: 5_000 }, () => new AbortController());
    const waits = leaving.map(({ signal }) => line.wait({ signal }).catch(() => 'left'));
    for (const controller of leaving.toReversed()) controller.abort(reason);
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['left']));
    expect(line.length).toBe(0);
  });
});
