import { describe, expect, it } from 'vitest';
import { codeOf, queueOf } from './queue-fixture.js';

/** Neither granted nor refused: a wait that this test leaves open. */
const ignore = (wait: Promise<unknown>) => void wait.catch(() => undefined);

describe('limit', () => {
  it('refuses who would have to wait while the line is full, and tells who it was', async () => {
    const { clock, queue, acquire, refusals } = queueOf(['a', 'b'], { limit: 2 });
    await acquire();
    await acquire();
    ignore(acquire());
    ignore(acquire({ key: 'a' }));
    expect(await codeOf(acquire({ key: 'b', label: 'session checkout' }))).toBe('POOL_BUSY');
    expect(await codeOf(acquire())).toBe('POOL_BUSY');
    const counts = { idle: 0, held: 0, leased: 2, reserved: 0, waiting: 2 };
    expect(refusals).toEqual([
      { key: 'b', label: 'session checkout', counts },
      { key: undefined, label: undefined, counts },
    ]);
    expect(queue.counts()).toEqual(counts);
    expect(clock.pendingTimers).toBe(2);
  });

  it('refuses nobody who can be granted at once', async () => {
    const { acquire } = queueOf(['a', 'b'], { limit: 1 });
    const held = await acquire({ key: 'a' });
    const waiting = acquire({ key: 'a' });
    expect((await acquire()).key).toBe('b');
    held.release();
    expect((await waiting).key).toBe('a');
  });

  it('of 0 lets nobody wait', async () => {
    const { acquire } = queueOf(['a'], { limit: 0 });
    const held = await acquire();
    expect(await codeOf(acquire())).toBe('POOL_BUSY');
    held.release();
    expect((await acquire()).key).toBe('a');
  });

  it('has a place again when a waiter leaves', async () => {
    const { acquire } = queueOf(['a'], { limit: 1 });
    const held = await acquire();
    const controller = new AbortController();
    const first = codeOf(acquire({ signal: controller.signal }));
    controller.abort();
    expect(await first).toBe('CANCELLED');
    const second = acquire();
    held.release();
    expect((await second).key).toBe('a');
  });

  it('counts those who wait for a cold entry that is held', async () => {
    const { queue, acquire } = queueOf([], { limit: 1 });
    queue.add('a', { cold: true });
    queue.holdCold(true);
    const first = acquire();
    expect(await codeOf(acquire())).toBe('POOL_BUSY');
    queue.holdCold(false);
    expect((await first).key).toBe('a');
  });

  it('looks at the key first: an unknown one is unknown, also while the line is full', async () => {
    const { acquire } = queueOf(['a'], { limit: 0 });
    expect(await codeOf(acquire({ key: 'x' }))).toBe('INSTANCE_NOT_FOUND');
  });
});

describe('setLimit', () => {
  it('lowered leaves those in line who stand there, and lets none in until they are fewer', async () => {
    const { queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const waits = [acquire(), acquire()];
    queue.setLimit(1);
    expect(queue.counts().waiting).toBe(2);
    expect(await codeOf(acquire())).toBe('POOL_BUSY');
    held.release();
    (await waits[0])?.release();
    const third = acquire();
    (await waits[1])?.release();
    expect((await third).key).toBe('a');
  });

  it('undefined lifts it', async () => {
    const { queue, acquire } = queueOf(['a'], { limit: 0 });
    const held = await acquire();
    queue.setLimit(undefined);
    const waiting = acquire();
    held.release();
    expect((await waiting).key).toBe('a');
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %s, and so does the constructor',
    (limit) => {
      const refused = expect.objectContaining({ code: 'INVALID_ARGUMENTS' });
      expect(() => queueOf(['a'], { limit })).toThrow(refused);
      const { queue } = queueOf(['a'], { limit: 3 });
      expect(() => queue.setLimit(limit)).toThrow(refused);
    },
  );
});
