import type { CancelTimer, Clock } from '../clock.js';
import type { PoolSettings } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { Emitter } from './emitter.js';
import type { Lease } from './lease.js';
import type { LeakEvent, PoolEvents } from './pool-events.js';

export interface LeaseWatchOptions {
  clock: Clock;
  settings: () => PoolSettings;
  events: Emitter<PoolEvents>;
}

/** Watches how long leases last: reports one that may be forgotten, and ends one that lasts too long. */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #ends = new Map<Lease, () => void>();

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  /** Where a lease is being taken, for a leak report; asks for a stack trace only if there may be one. */
  whereTaken(): string {
    return this.#options.settings().leakThreshold === undefined ? '' : (new Error('lease').stack ?? '');
  }

  begin(lease: Lease, takenAt: string): void {
    const { leaseMax, leakThreshold } = this.#options.settings();
    if (leaseMax === undefined && leakThreshold === undefined) return;
    const timers: CancelTimer[] = [];
    let leaked = false;
    if (leakThreshold !== undefined) {
      timers.push(
        this.#options.clock.after(leakThreshold, () => {
          leaked = true;
          this.#options.events.emit('lease-leaked', () => this.#leak(lease, takenAt));
        }),
      );
    }
    if (leaseMax !== undefined) {
      timers.push(this.#options.clock.after(leaseMax, () => void lease.expire(expired(lease, leaseMax))));
    }
    this.#ends.set(lease, () => {
      for (const cancelTimer of timers) cancelTimer();
      if (leaked) this.#options.events.emit('leak-ended', () => this.#leak(lease, takenAt));
    });
  }

  end(lease: Lease): void {
    this.#ends.get(lease)?.();
    this.#ends.delete(lease);
  }

  #leak(lease: Lease, takenAt: string): LeakEvent {
    return { ...lease.about, heldMs: this.#options.clock.now() - lease.startedAt, takenAt };
  }
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
