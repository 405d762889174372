import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeStep } from '../../src/testing/fake-driver.js';
import { Mutex } from '../../src/waiting/mutex.js';
import { stateOf } from '../pool/pool-fixture.js';

/** A mutex, and calls on it that end one by one when the test says so. */
function mutexOf() {
  const mutex = new Mutex();
  const step = new FakeStep();
  step.hold();
  const begun: string[] = [];
  const call = (name: string, signal?: AbortSignal) =>
    mutex.run(
      async () => {
        begun.push(name);
        await step.run();
        return name;
      },
      name,
      signal,
    );
  return { mutex, step, begun, call };
}

describe('Mutex', () => {
  it('runs one call at a time, in order of arrival', async () => {
    const { begun, call, mutex, step } = mutexOf();
    const calls = ['first', 'second', 'third'].map((name) => call(name));
    expect(await stateOf(Promise.all(calls))).toBe('pending');
    expect(begun).toEqual(['first']);
    step.releaseNext();
    expect(await calls[0]).toBe('first');
    expect(await stateOf(Promise.resolve())).toBe('resolved');
    expect(begun).toEqual(['first', 'second']);
    expect(mutex.idle).toBe(false);
    step.release();
    expect(await Promise.all(calls)).toEqual(['first', 'second', 'third']);
    expect(mutex.idle).toBe(true);
  });

  it('goes on after a call that failed', async () => {
    const { mutex } = mutexOf();
    const failed = mutex.run(() => Promise.reject(new Error('It broke.')), 'first');
    const next = mutex.run(async () => 'done', 'second');
    await expect(failed).rejects.toThrow('It broke.');
    expect(await next).toBe('done');
    expect(mutex.idle).toBe(true);
  });

  it('lets a caller leave at once, and never begins its call', async () => {
    const { begun, call, mutex, step } = mutexOf();
    const controller = new AbortController();
    const first = call('first');
    const second = call('second', controller.signal);
    const third = call('third');
    controller.abort();
    expect(await stateOf(second)).toBe('CANCELLED');
    step.release();
    await Promise.all([first, third]);
    expect(begun).toEqual(['first', 'third']);
    expect(mutex.idle).toBe(true);
  });

  it('does not begin a call whose signal has aborted already', async () => {
    const { begun, call, step } = mutexOf();
    step.release();
    expect(await stateOf(call('late', AbortSignal.abort()))).toBe('CANCELLED');
    expect(begun).toEqual([]);
  });

  it('leaves a call that runs to itself when its signal aborts, and no listener behind', async () => {
    const { call, step } = mutexOf();
    const controller = new AbortController();
    const running = call('running', controller.signal);
    expect(await stateOf(running)).toBe('pending');
    controller.abort();
    expect(await stateOf(running)).toBe('pending');
    step.release();
    expect(await running).toBe('running');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
