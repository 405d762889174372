import { describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/fake-clock.js';
import { codeOf, queueOf, recorder, TIMEOUT_MS } from './queue-fixture.js';

/** Entries that are idle and cold, after those that are warm. */
function poolOf(warm: readonly string[], cold: readonly string[]) {
  const pool = queueOf(warm);
  for (const key of cold) pool.queue.add(key, { cold: true });
  return pool;
}

describe('cold entries', () => {
  it('are leased after the warm ones, those added earliest first', async () => {
    const { queue, acquire } = queueOf([]);
    for (const key of ['c1', 'c2', 'c3']) queue.add(key, { cold: true });
    for (const key of ['w1', 'w2']) queue.add(key);
    queue.reserve('c1'); // the order is that of adding, not of the return
    queue.restore('c1');
    expect(queue.counts()).toMatchObject({ idle: 5, held: 0 });
    const keys: string[] = [];
    for (let count = 0; count < 5; count++) keys.push((await acquire()).key);
    expect(keys).toEqual(['w1', 'w2', 'c1', 'c2', 'c3']);
  });

  it('are leased at once to who asks for them by key, though others are warm', async () => {
    const { acquire } = poolOf(['w'], ['c']);
    expect((await acquire({ key: 'c' })).key).toBe('c');
  });

  it('are warm from their grant on', async () => {
    const { acquire } = poolOf([], ['a', 'b']);
    (await acquire({ key: 'b' })).release();
    expect((await acquire()).key).toBe('b');
  });

  it('become so by maintenance', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    queue.reserve('a');
    queue.restore('a', { cold: true });
    expect((await acquire()).key).toBe('b');
    expect((await acquire()).key).toBe('a');
  });

  it('stay so through maintenance that says nothing of it, and end by one that does', async () => {
    const { queue, acquire } = poolOf([], ['a', 'b', 'c']);
    for (const key of ['b', 'c']) queue.reserve(key);
    queue.restore('b');
    queue.restore('c', { cold: false });
    expect([(await acquire()).key, (await acquire()).key, (await acquire()).key]).toEqual(['c', 'a', 'b']);
  });

  it('serve those who wait as warm ones do', async () => {
    const { queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const { order, watch } = recorder();
    watch('early', acquire());
    watch('late', acquire());
    queue.add('c', { cold: true });
    held.release();
    await settle();
    expect(order).toEqual(['early:c', 'late:a']);
  });
});

describe('holdCold', () => {
  it('grants no cold entry, by key or not, and warm ones as ever', async () => {
    const { queue, acquire } = poolOf(['w'], ['c1', 'c2']);
    const { order, watch } = recorder();
    queue.holdCold(true);
    expect(queue.counts()).toMatchObject({ idle: 3, held: 2 });
    watch('keyed', acquire({ key: 'c1' }));
    watch('first', acquire());
    watch('second', acquire());
    await settle();
    expect(order).toEqual(['first:w']);
    expect(queue.counts()).toEqual({ idle: 2, held: 2, leased: 1, reserved: 0, waiting: 2 });
  });

  it('holds what is added or restored cold, also while someone waits for it', async () => {
    const { queue, acquire } = poolOf(['a'], []);
    const { order, watch } = recorder();
    queue.holdCold(true);
    const grant = await acquire();
    watch('any', acquire());
    grant.release({ reserve: true });
    queue.restore('a', { cold: true });
    queue.add('b', { cold: true });
    await settle();
    expect(order).toEqual([]);
    expect(queue.counts()).toEqual({ idle: 2, held: 2, leased: 0, reserved: 0, waiting: 1 });
    queue.add('w');
    await settle();
    expect(order).toEqual(['any:w']);
  });

  it('serves those who waited, keyed and unkeyed in order of arrival, as soon as it ends', async () => {
    const { queue, acquire } = poolOf([], ['a', 'b', 'c']);
    const { order, watch } = recorder();
    queue.holdCold(true);
    watch('1st c', acquire({ key: 'c' }));
    watch('2nd any', acquire());
    watch('3rd a', acquire({ key: 'a' })); // 2nd came before and takes a
    watch('4th any', acquire());
    watch('5th any', acquire());
    queue.holdCold(false);
    expect(queue.counts()).toEqual({ idle: 0, held: 0, leased: 3, reserved: 0, waiting: 2 });
    await settle();
    expect(order).toEqual(['1st c:c', '2nd any:a', '4th any:b']);
  });

  it('leaves idle what nobody waits for when it ends', async () => {
    const { queue, acquire } = poolOf([], ['a', 'b', 'c']);
    queue.holdCold(true);
    const waiting = acquire({ key: 'b' });
    queue.holdCold(false);
    expect((await waiting).key).toBe('b');
    expect(queue.counts()).toEqual({ idle: 2, held: 0, leased: 1, reserved: 0, waiting: 0 });
    expect((await acquire()).key).toBe('a');
  });

  it('leaves a cold entry to its owner, who may warm it up meanwhile', async () => {
    const { queue, acquire } = poolOf([], ['a']);
    queue.holdCold(true);
    const waiting = acquire();
    expect(queue.reserve('a')).toBe(true);
    expect(queue.counts()).toMatchObject({ held: 0, reserved: 1 });
    queue.restore('a', { cold: false });
    expect((await waiting).key).toBe('a');
  });

  it('takes no lease back: what was granted before is kept and comes back warm', async () => {
    const { queue, acquire } = poolOf([], ['a']);
    const grant = await acquire();
    queue.holdCold(true);
    expect(grant.released).toBe(false);
    grant.release();
    expect((await acquire()).key).toBe('a');
  });

  it('lets a wait end by its deadline or the removal of its entry, with nothing left behind', async () => {
    const { clock, queue, acquire, timeouts } = poolOf([], ['a', 'b']);
    queue.holdCold(true);
    const any = codeOf(acquire());
    const keyed = codeOf(acquire({ key: 'b' }));
    queue.remove('b');
    expect(await keyed).toBe('INSTANCE_NOT_FOUND');
    await clock.advance(TIMEOUT_MS);
    expect(await any).toBe('LEASE_TIMEOUT');
    expect(timeouts).toMatchObject([{ counts: { idle: 1, held: 1, waiting: 0 } }]);
    queue.holdCold(false);
    expect(queue.counts()).toEqual({ idle: 1, held: 0, leased: 0, reserved: 0, waiting: 0 });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('onCold', () => {
  /** Cold entries of which so many are granted at a time. */
  function atATime(limit: number, cold: readonly string[]) {
    const begun: string[] = [];
    const pool = queueOf([], {
      onCold: ({ key }) => {
        begun.push(key);
        pool.queue.holdCold(begun.length >= limit);
      },
    });
    for (const key of cold) pool.queue.add(key, { cold: true });
    return { ...pool, begun };
  }

  it('is called for each grant of a cold entry, and for no other', async () => {
    const { acquire, begun } = atATime(9, ['a', 'b']);
    (await acquire({ key: 'b' })).release();
    (await acquire()).release();
    expect(begun).toEqual(['b']);
  });

  it('may hold the others before anyone gets one', async () => {
    const { acquire, begun, queue } = atATime(2, ['a', 'b', 'c']);
    const { order, watch } = recorder();
    for (const name of ['1st', '2nd', '3rd']) watch(name, acquire());
    await settle();
    expect(order).toEqual(['1st:a', '2nd:b']);
    expect(queue.counts()).toMatchObject({ idle: 1, held: 1, waiting: 1 });
    begun.length = 0;
    queue.holdCold(false);
    await settle();
    expect(order).toEqual(['1st:a', '2nd:b', '3rd:c']);
  });

  it('may hold again while those who waited are served: the earliest have been', async () => {
    const { acquire, begun, queue } = atATime(1, ['a', 'b', 'c']);
    const { order, watch } = recorder();
    watch('1st', acquire());
    watch('2nd c', acquire({ key: 'c' }));
    watch('3rd', acquire());
    for (let turn = 0; turn < 2; turn++) {
      begun.length = 0;
      queue.holdCold(false);
      await settle();
    }
    expect(order).toEqual(['1st:a', '2nd c:c', '3rd:b']);
  });
});
