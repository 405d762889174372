import type { CancelTimer } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { Lease } from './lease.js';
import type { PoolContext } from './pool-context.js';
import type { LeakEvent } from './pool-events.js';
import type { Slot } from './slot.js';

/** Where a lease is being taken, for a leak report; asks for a stack trace only if there may be one. */
export function whereTaken({ settings }: PoolContext): string {
  return settings.leakThreshold === undefined ? '' : (new Error('lease').stack ?? '');
}

/** The slot has a lease from now on. One that may be forgotten is reported, and one that lasts too long is ended. */
export function beginLease(pool: PoolContext, slot: Slot, lease: Lease, takenAt: string): void {
  slot.lease = lease;
  const { clock, events, settings } = pool;
  const { leaseMax, leakThreshold } = settings;
  if (leaseMax === undefined && leakThreshold === undefined) return;
  const leak = (): LeakEvent => ({ ...lease.about, heldMs: clock.now() - lease.startedAt, takenAt });
  const timers: CancelTimer[] = [];
  let leaked = false;
  if (leakThreshold !== undefined) {
    timers.push(
      clock.after(leakThreshold, () => {
        leaked = true;
        events.emit('lease-leaked', leak);
      }),
    );
  }
  if (leaseMax !== undefined) {
    timers.push(clock.after(leaseMax, () => void lease.expire(expired(lease, leaseMax))));
  }
  slot.stopWatching = () => {
    for (const cancelTimer of timers) cancelTimer();
    if (leaked) events.emit('leak-ended', leak);
  };
}

/** The lease of the slot is over, if it has one. */
export function endLease({ clock, events }: PoolContext, slot: Slot): void {
  const { lease, stopWatching } = slot;
  if (!lease) return;
  slot.lease = undefined;
  slot.stopWatching = undefined;
  stopWatching?.();
  events.emit('lease-ended', () => ({
    ...lease.about,
    heldMs: clock.now() - lease.startedAt,
    error: lease.revoked.aborted ? lease.revoked.reason : undefined,
  }));
}

function expired({ about }: Lease, leaseMax: number): PwpoolError {
  return new PwpoolError(
    'LEASE_REVOKED',
    `The lease of instance '${about.instance}' of pool '${about.pool}' was taken back from ${about.holder} after ${leaseMax} ms.`,
    {
      hint: 'Call again, or in a program take a new lease. Whoever runs pwpool can raise LEASE_MAX.',
      details: { ...about, leaseMax },
    },
  );
}
