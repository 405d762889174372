import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { Semaphore } from '../../src/waiting/semaphore.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';

describe('Semaphore', () => {
  it('lets as many in as it has permits, and the next with the first that is given back', async () => {
    const semaphore = new Semaphore(2);
    const [first, second, third] = [semaphore.acquire(), semaphore.acquire(), semaphore.acquire()];
    expect([semaphore.held, semaphore.waiting]).toEqual([2, 1]);
    await first;
    (await second)[Symbol.dispose]();
    expect([semaphore.held, semaphore.waiting]).toEqual([2, 0]);
    await third;
  });

  it('gives a permit at once, or none', async () => {
    const semaphore = new Semaphore(1);
    const permit = semaphore.tryAcquire();
    expect(semaphore.tryAcquire()).toBeUndefined();
    const next = semaphore.acquire();
    permit?.[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeUndefined();
    (await next)[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it('has a permit back once, however often it is given back', async () => {
    const semaphore = new Semaphore(1);
    const permit = await semaphore.acquire();
    permit[Symbol.dispose]();
    using _next = await semaphore.acquire();
    permit[Symbol.dispose]();
    expect(semaphore.held).toBe(1);
    expect(await stateOf(semaphore.acquire())).toBe('pending');
  });

  it('lets those who wait in when its limit is raised, and takes nothing from holders when it is lowered', async () => {
    const semaphore = new Semaphore(0);
    const waits = [semaphore.acquire(), semaphore.acquire(), semaphore.acquire()];
    semaphore.limit = 2;
    expect([semaphore.held, semaphore.waiting]).toEqual([2, 1]);
    semaphore.limit = 1;
    (await waits[0])?.[Symbol.dispose]();
    expect([semaphore.held, semaphore.waiting]).toEqual([1, 1]);
    (await waits[1])?.[Symbol.dispose]();
    expect([semaphore.held, semaphore.waiting]).toEqual([1, 0]);
    await waits[2];
  });

  it('holds nothing for one who has left', async () => {
    const semaphore = new Semaphore(1);
    const permit = await semaphore.acquire();
    const leaving = new AbortController();
    const left = errorOf(semaphore.acquire({ signal: leaving.signal, what: 'The wait' }));
    const next = semaphore.acquire();
    leaving.abort();
    expect((await left).code).toBe('CANCELLED');
    permit[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    expect(semaphore.held).toBe(0);
  });

  it('refuses those who wait, and leaves those who hold alone', async () => {
    const semaphore = new Semaphore(1);
    const permit = await semaphore.acquire();
    const error = new PwpoolError('SHUTTING_DOWN', 'The end.');
    const waiting = errorOf(semaphore.acquire());
    semaphore.rejectWaiters(error);
    expect(await waiting).toBe(error);
    expect(semaphore.held).toBe(1);
    permit[Symbol.dispose]();
    expect(semaphore.held).toBe(0);
  });
});
