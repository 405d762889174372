import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { Wait } from '../../src/lease/grant.js';
import { settle } from '../../src/testing/fake-clock.js';
import { codeOf, queueOf, recorder } from './queue-fixture.js';

describe('lease behaviour', () => {
  it('makes a keyed acquire wait for its busy entry though others are idle [000-lease-01]', async () => {
    const { queue, acquire } = queueOf(['0', '1', '2']);
    const { order, watch } = recorder();
    const busy = await acquire({ key: '0' });
    watch('waiter', acquire({ key: '0' }));
    await settle();
    expect(order).toEqual([]);
    expect(queue.counts()).toEqual({ idle: 2, held: 0, leased: 1, reserved: 0, waiting: 1 });
    busy.release();
    await settle();
    expect(order).toEqual(['waiter:0']);
  });

  it('makes an unkeyed acquire wait while all entries are busy [000-lease-03]', async () => {
    const { acquire } = queueOf(['0', '1']);
    const { order, watch } = recorder();
    await acquire();
    const second = await acquire();
    watch('waiter', acquire());
    await settle();
    expect(order).toEqual([]);
    second.release();
    await settle();
    expect(order).toEqual(['waiter:1']);
  });

  it('leases the idle entry that was returned earliest [000-lease-04]', async () => {
    const { acquire } = queueOf(['0', '1', '2', '3']);
    const grants = await Promise.all([acquire(), acquire(), acquire(), acquire()]);
    grants[3]?.release();
    grants[1]?.release();
    expect((await acquire()).key).toBe('3');
    expect((await acquire()).key).toBe('1');
  });

  it('refuses an unknown entry at once and names the valid ones [000-lease-05, 000-runtime-03]', async () => {
    const { acquire, clock } = queueOf(['0', '1']);
    await expect(acquire({ key: '7' })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
      message: "Instance '7' not found in pool.",
      hint: 'Use one of: 0, 1.',
      details: { key: '7', keys: ['0', '1'] },
    });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('onWait', () => {
  it('tells those who wait how many are ahead of them, and nobody who is granted at once', async () => {
    const { queue } = queueOf(['0', '1']);
    const places: Record<string, Wait> = {};
    const acquire = (name: string, key?: string) =>
      queue.acquire({
        key,
        timeoutMs: 1000,
        onWait: (wait) => {
          places[name] = wait;
        },
      });
    const [first] = await Promise.all([acquire('first', '0'), acquire('second', '1')]);
    const waiting = [acquire('any'), acquire('keyed-1', '1'), acquire('keyed-0', '0'), acquire('last')];
    const positions = () => Object.entries(places).map(([name, wait]) => `${name}:${wait.position()}`);
    expect(positions()).toEqual(['any:0', 'keyed-1:1', 'keyed-0:1', 'last:1']);
    first.release();
    await waiting[0];
    expect(places['keyed-0']?.position()).toBe(0);
    queue.close(new PwpoolError('SHUTTING_DOWN', 'The test is over.'));
    await Promise.allSettled(waiting);
  });
});

describe('order of arrival', () => {
  it('serves keyed and unkeyed waiters as one line [arch-lease-02]', async () => {
    const { acquire } = queueOf(['a', 'b']);
    const { order, grants, watch } = recorder();
    const a = await acquire({ key: 'a' });
    const b = await acquire({ key: 'b' });
    watch('1st any', acquire());
    watch('2nd b', acquire({ key: 'b' }));
    watch('3rd a', acquire({ key: 'a' }));
    watch('4th any', acquire());

    b.release(); // the unkeyed waiter came before the one for b
    await settle();
    a.release(); // 2nd may not have a; 3rd came before 4th
    await settle();
    grants.get('1st any')?.release();
    await settle();
    grants.get('2nd b')?.release();
    await settle();
    expect(order).toEqual(['1st any:b', '3rd a:a', '2nd b:b', '4th any:b']);
  });

  it('a newcomer never overtakes those who wait [arch-lease-02]', async () => {
    const { queue, acquire } = queueOf(['a']);
    const { order, watch } = recorder();
    const held = await acquire();
    watch('early', acquire());
    held.release();
    watch('late', acquire());
    queue.add('b');
    await settle();
    expect(order).toEqual(['early:a', 'late:b']);
  });

  it('tells in the error of a timeout where the waiter stood and how the queue is [000-runtime-04, arch-lease-04]', async () => {
    const { clock, queue, acquire, timeouts } = queueOf(['a', 'b', 'c']);
    await acquire({ key: 'a' });
    await acquire({ key: 'b' });
    queue.reserve('c');
    acquire().catch(() => undefined);
    acquire({ key: 'b', timeoutMs: 5000 }).catch(() => undefined);
    const last = codeOf(acquire({ key: 'c', timeoutMs: 250, label: 'session checkout' }));
    await clock.advance(250);
    expect(await last).toBe('LEASE_TIMEOUT');
    expect(timeouts).toEqual([
      {
        key: 'c',
        label: 'session checkout',
        waitedMs: 250,
        position: 2,
        counts: { idle: 0, held: 0, leased: 2, reserved: 1, waiting: 2 },
      },
    ]);
  });
});

describe('release', () => {
  it('is idempotent: a second one does not free the lease of the next holder [arch-lease-05]', async () => {
    const { queue, acquire } = queueOf(['a']);
    const first = await acquire();
    first.release();
    const second = await acquire();
    expect(first.released).toBe(true);
    expect(second.released).toBe(false);
    first.release();
    first.release({ reserve: true });
    expect(queue.stateOf('a')).toBe('leased');
    expect(second.released).toBe(false);
  });

  it('with reserve hands the entry to maintenance, past those who wait', async () => {
    const { queue, acquire } = queueOf(['a']);
    const { order, watch } = recorder();
    const held = await acquire();
    watch('keyed', acquire({ key: 'a' }));
    watch('any', acquire());
    held.release({ reserve: true });
    await settle();
    expect(order).toEqual([]);
    expect(queue.counts()).toEqual({ idle: 0, held: 0, leased: 0, reserved: 1, waiting: 2 });
    expect(queue.restore('a')).toBe(true);
    await settle();
    expect(order).toEqual(['keyed:a']);
  });
});

describe('reserve and restore', () => {
  it('takes an idle entry out and puts it back as the latest returned', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    expect(queue.reserve('a')).toBe(true);
    expect(queue.stateOf('a')).toBe('reserved');
    expect(queue.restore('a')).toBe(true);
    expect((await acquire()).key).toBe('b');
    expect((await acquire()).key).toBe('a');
  });

  it('leaves a leased entry to its holder, and a reserved one to whoever reserved it', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    const held = await acquire({ key: 'a' });
    expect(queue.reserve('a')).toBe(false);
    expect(held.released).toBe(false);
    expect(queue.reserve('b')).toBe(true);
    expect(queue.reserve('b')).toBe(false);
  });

  it('restores nothing that is in circulation', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    const held = await acquire({ key: 'a' });
    expect(queue.restore('a')).toBe(false);
    expect(queue.restore('b')).toBe(false);
    expect(held.released).toBe(false);
    expect(queue.counts()).toEqual({ idle: 1, held: 0, leased: 1, reserved: 0, waiting: 0 });
  });
});

describe('revoke', () => {
  it('voids the grant, whose late release cannot free the new holder [arch-lease-06]', async () => {
    const { queue, acquire } = queueOf(['a']);
    const { order, grants, watch } = recorder();
    const old = await acquire();
    watch('next', acquire());
    expect(queue.revoke('a')).toBe(true);
    expect(old.released).toBe(true);
    expect(queue.stateOf('a')).toBe('reserved');
    old.release();
    await settle();
    expect(order).toEqual([]);
    queue.restore('a');
    await settle();
    old.release();
    old.release({ reserve: true });
    expect(queue.stateOf('a')).toBe('leased');
    expect(grants.get('next')?.released).toBe(false);
  });

  it('leaves an entry that nobody holds reserved as well', () => {
    const { queue } = queueOf(['a', 'b']);
    queue.reserve('b');
    expect(queue.revoke('a')).toBe(false);
    expect(queue.revoke('b')).toBe(false);
    expect(queue.counts()).toEqual({ idle: 0, held: 0, leased: 0, reserved: 2, waiting: 0 });
  });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses a wait of %s ms', async (timeoutMs) => {
  const { acquire } = queueOf(['a']);
  expect(await codeOf(acquire({ timeoutMs }))).toBe('INVALID_ARGUMENTS');
});
