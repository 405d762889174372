import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { codeOf, queueOf, recorder } from './queue-fixture.js';

describe('entries at run time', () => {
  it('serves the earliest waiter with an entry that is added', async () => {
    const { queue, acquire } = queueOf([]);
    const waiting = acquire();
    queue.add('a');
    expect((await waiting).key).toBe('a');
    expect(queue.counts()).toMatchObject({ idle: 0, leased: 1, reserved: 0 });
  });

  it('can be waited for before they are ready', async () => {
    const { queue, acquire } = queueOf([]);
    queue.add('a', { reserve: true });
    const { order, watch } = recorder();
    watch('any', acquire());
    watch('keyed', acquire({ key: 'a' }));
    await settle();
    expect(order).toEqual([]);
    queue.restore('a');
    await settle();
    expect(order).toEqual(['any:a']);
  });

  it('are there once each', () => {
    const { queue } = queueOf(['a']);
    expect(() => queue.add('a')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
    expect(queue.counts()).toMatchObject({ idle: 1, leased: 0, reserved: 0 });
  });

  it('removing one rejects those who wait for it, voids its grant and keeps the others waiting', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    const a = await acquire({ key: 'a' });
    const b = await acquire({ key: 'b' });
    const keyed = codeOf(acquire({ key: 'a' }));
    const any = acquire();
    queue.remove('a');
    expect(await keyed).toBe('INSTANCE_NOT_FOUND');
    expect(a.released).toBe(true);
    expect(queue.stateOf('a')).toBeUndefined();
    queue.add('a', { reserve: true });
    a.release();
    expect(queue.stateOf('a')).toBe('reserved');
    b.release();
    expect((await any).key).toBe('b');
  });

  it.each(['reserve', 'restore', 'revoke', 'remove'] as const)('%s refuses an unknown key', (method) => {
    const { queue } = queueOf(['a']);
    expect(() => queue[method]('x')).toThrow(expect.objectContaining({ code: 'INSTANCE_NOT_FOUND' }));
  });
});

describe('rejectWaiters and close', () => {
  const failed = new PwpoolError('NO_HEALTHY_INSTANCES', 'All instances failed.');
  const down = new PwpoolError('SHUTTING_DOWN', 'The server is ending.');

  it('rejects all waiters, and serves those who come later', async () => {
    const { queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const waits = [codeOf(acquire()), codeOf(acquire({ key: 'a' }))];
    queue.rejectWaiters(failed);
    expect(await Promise.all(waits)).toEqual(['NO_HEALTHY_INSTANCES', 'NO_HEALTHY_INSTANCES']);
    const later = acquire();
    held.release();
    expect((await later).key).toBe('a');
  });

  it('rejects those who wait for one key only', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    const { order, watch } = recorder();
    const a = await acquire({ key: 'a' });
    const b = await acquire({ key: 'b' });
    const forA = codeOf(acquire({ key: 'a' }));
    watch('b', acquire({ key: 'b' }));
    watch('any', acquire());
    queue.rejectWaiters(failed, 'a');
    expect(await forA).toBe('NO_HEALTHY_INSTANCES');
    a.release();
    b.release();
    await settle();
    expect(order).toEqual(['any:a', 'b:b']);
  });

  it('close rejects waiters and later acquires with the first error, and lets holders release', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    const held = await acquire({ key: 'a' });
    const waiting = codeOf(acquire({ key: 'a' }));
    queue.close(down);
    queue.close(failed);
    expect(await waiting).toBe('SHUTTING_DOWN');
    expect(await codeOf(acquire())).toBe('SHUTTING_DOWN');
    expect(held.released).toBe(false);
    held.release();
    expect(queue.counts()).toEqual({ idle: 2, held: 0, leased: 0, reserved: 0, waiting: 0 });
  });
});
