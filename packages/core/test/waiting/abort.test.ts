import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { unlessAborted } from '../../src/waiting/abort.js';
import { errorOf } from '../pool/pool-fixture.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('unlessAborted', () => {
  it('gives what the work gives, or its error, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(signal, Promise.resolve('done'))).toBe('done');
    await expect(unlessAborted(signal, Promise.reject(new Error('It broke.')))).rejects.toThrow('It broke.');
    await settle();
    expect(listeners(signal)).toBe(0);
  });

  it('throws what the signal was aborted with, before or meanwhile; later errors of the work are seen by nobody', async () => {
    const controller = new AbortController();
    const reason = new Error('Enough.');
    let fail = (_error: Error) => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const waiting = unlessAborted(controller.signal, work);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(controller.signal, work)).rejects.toBe(reason);
    fail(new Error('late'));
    await settle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('says in words what was cancelled, but keeps a PwpoolError', async () => {
    const never = new Promise<never>(() => {});
    const error = await errorOf(unlessAborted(AbortSignal.abort(), never, 'The search'));
    expect([error.code, error.message]).toEqual(['CANCELLED', 'The search was cancelled by its caller.']);
    const crash = new PwpoolError('INSTANCE_CRASHED', 'Gone.');
    expect(await errorOf(unlessAborted(AbortSignal.abort(crash), never, 'The search'))).toBe(crash);
  });
});
