import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { Grant } from '../../src/lease/grant.js';
import { settle } from '../../src/testing/fake-clock.js';
import { codeOf, type QueueFixture, queueOf, TIMEOUT_MS } from './queue-fixture.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

interface Wait extends QueueFixture {
  held: Grant;
  controller: AbortController;
}

const STOP = new PwpoolError('SHUTTING_DOWN', 'The server is ending.');

const WAYS_TO_LEAVE: Record<string, { leave: (wait: Wait) => void | Promise<void>; outcome: string }> = {
  'a grant': { leave: ({ held }) => held.release(), outcome: 'no error' },
  'its deadline': { leave: ({ clock }) => clock.advance(TIMEOUT_MS), outcome: 'LEASE_TIMEOUT' },
  'an abort': { leave: ({ controller }) => controller.abort(), outcome: 'CANCELLED' },
  'the removal of its entry': { leave: ({ queue }) => queue.remove('a'), outcome: 'INSTANCE_NOT_FOUND' },
  rejectWaiters: { leave: ({ queue }) => queue.rejectWaiters(STOP), outcome: 'SHUTTING_DOWN' },
  'rejectWaiters for its key': {
    leave: ({ queue }) => queue.rejectWaiters(STOP, 'a'),
    outcome: 'SHUTTING_DOWN',
  },
  close: { leave: ({ queue }) => queue.close(STOP), outcome: 'SHUTTING_DOWN' },
};

describe('a waiter that leaves takes its timer and its listener with it', () => {
  it.each(Object.entries(WAYS_TO_LEAVE))(
    'by %s [arch-lease-03, 000-runtime-04]',
    async (_name, { leave, outcome }) => {
      const fixture = queueOf(['a']);
      const { clock, queue, acquire } = fixture;
      const held = await acquire();
      const controller = new AbortController();
      const waiting = codeOf(acquire({ key: 'a', signal: controller.signal }));
      expect(clock.pendingTimers).toBe(1);
      expect(listeners(controller.signal)).toBe(1);

      await leave({ ...fixture, held, controller });
      expect(clock.pendingTimers).toBe(0);
      expect(listeners(controller.signal)).toBe(0);
      expect(queue.counts().waiting).toBe(0);
      expect(await waiting).toBe(outcome);
    },
  );

  it('and a waiter that left from the middle is skipped', async () => {
    const { acquire } = queueOf(['a']);
    const held = await acquire();
    const controller = new AbortController();
    const first = acquire();
    const second = codeOf(acquire({ signal: controller.signal }));
    const third = acquire();
    controller.abort();
    expect(await second).toBe('CANCELLED');
    held.release();
    (await first).release();
    expect((await third).key).toBe('a');
  });
});

describe('an immediate grant', () => {
  it('sets no timer and no listener', async () => {
    const { clock, acquire } = queueOf(['a', 'b']);
    const { signal } = new AbortController();
    await acquire({ signal });
    await acquire({ key: 'b', signal });
    expect(clock.pendingTimers).toBe(0);
    expect(listeners(signal)).toBe(0);
  });

  it('is not given on a signal that has aborted already, nor is a place in line [arch-error-07]', async () => {
    const { clock, queue, acquire } = queueOf(['a']);
    expect(await codeOf(acquire({ signal: AbortSignal.abort() }))).toBe('CANCELLED');
    expect(queue.stateOf('a')).toBe('idle');
    await acquire();
    expect(await codeOf(acquire({ signal: AbortSignal.abort() }))).toBe('CANCELLED');
    expect(queue.counts().waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('grant and abort in the same tick', () => {
  it('the grant came first: acquire resolves, and the caller owns the entry', async () => {
    const { queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const controller = new AbortController();
    const waiting = acquire({ signal: controller.signal });
    held.release();
    controller.abort();
    const grant = await waiting;
    expect(grant.released).toBe(false);
    grant.release();
    expect(queue.stateOf('a')).toBe('idle');
  });

  it('the abort came first: the entry goes to the next', async () => {
    const { acquire } = queueOf(['a']);
    const held = await acquire();
    const controller = new AbortController();
    const aborted = codeOf(acquire({ signal: controller.signal }));
    const next = acquire();
    controller.abort();
    held.release();
    expect(await aborted).toBe('CANCELLED');
    expect((await next).key).toBe('a');
  });

  it('the deadline came first: the entry lies idle', async () => {
    const { clock, queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const late = codeOf(acquire());
    clock.after(TIMEOUT_MS, () => held.release());
    await clock.advance(TIMEOUT_MS);
    expect(await late).toBe('LEASE_TIMEOUT');
    expect(queue.stateOf('a')).toBe('idle');
  });

  it('a holder that releases while the same abort is under way loses no entry', async () => {
    const { queue, acquire } = queueOf(['a']);
    const controller = new AbortController();
    const held = await acquire();
    controller.signal.addEventListener('abort', () => held.release());
    const waiting = acquire({ signal: controller.signal });
    controller.abort();
    (await waiting).release();
    expect(queue.counts()).toEqual({ idle: 1, held: 0, leased: 0, reserved: 0, waiting: 0 });
  });
});

describe('a waiter whose onWait throws', () => {
  const fail = () => {
    throw new Error('Not told.');
  };

  it('has left: nothing is leased to it', async () => {
    const { clock, queue, acquire } = queueOf(['a']);
    const held = await acquire();
    await expect(acquire({ onWait: fail })).rejects.toThrow('Not told.');
    expect(queue.counts().waiting).toBe(0);
    held.release();
    expect(queue.stateOf('a')).toBe('idle');
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the lease that it was given meanwhile', async () => {
    const { queue, acquire } = queueOf(['a']);
    const held = await acquire();
    const onWait = () => {
      held.release();
      fail();
    };
    (await acquire({ onWait })).release();
    expect(queue.counts().waiting).toBe(0);
    expect(queue.stateOf('a')).toBe('idle');
  });
});

describe('one signal for many waiters', () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  afterEach(() => process.off('warning', note));

  it('is listened to once, without a warning, until the last of them has left', async () => {
    process.on('warning', note);
    const { clock, acquire } = queueOf(['a']);
    const { signal } = new AbortController();
    let held = await acquire();
    const waits = Array.from({ length: 20 }, () => acquire({ signal }));
    expect(listeners(signal)).toBe(1);
    for (const wait of waits) {
      held.release();
      held = await wait;
    }
    await settle();
    expect(listeners(signal)).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('rejects all of them, and nobody else', async () => {
    const { queue, acquire } = queueOf(['a', 'b']);
    await acquire({ key: 'a' });
    const held = await acquire({ key: 'b' });
    const controller = new AbortController();
    const { signal } = controller;
    const waits = [codeOf(acquire({ signal })), codeOf(acquire({ key: 'a', signal }))];
    const other = acquire();
    const reason = new PwpoolError('SESSION_EXPIRED', 'The session ended.');
    controller.abort(reason);
    expect(await Promise.all(waits)).toEqual(['SESSION_EXPIRED', 'SESSION_EXPIRED']);
    expect(listeners(signal)).toBe(0);
    expect(queue.counts().waiting).toBe(1);
    held.release();
    expect((await other).key).toBe('b');
  });
});
