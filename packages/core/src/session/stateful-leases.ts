import { PwpoolError } from '../errors.js';
import type { BrowserPools, PoolsLeaseOptions } from '../pool/browser-pools.js';
import type { Lease } from '../pool/lease.js';
import type { WaitingCalls } from '../principals/waiting-calls.js';
import { chooseInstance } from './instance-choice.js';
import type { Parking } from './parking.js';
import type { BrowserState } from './state/browser-state.js';
import { StateKeeper } from './state/state-keeper.js';
import type { StateStore } from './state/state-store.js';

/** A lease that starts from a state; at most one of `restore` and `from` is given [arch-library-03]. */
export interface StatefulLeaseOptions extends PoolsLeaseOptions {
  /** Name of a state that `close` saved. */
  restore?: string | undefined;
  /** A state that `Session.capture` gave. */
  from?: BrowserState | undefined;
}

/** Leases of instances that will do for a state, with the state in them [arch-library-03]. */
export class StatefulLeases {
  readonly #pools: BrowserPools;
  readonly #states: StateStore;
  readonly #parking: Parking;
  readonly #waitingCalls: WaitingCalls;

  constructor(pools: BrowserPools, states: StateStore, parking: Parking, waitingCalls: WaitingCalls) {
    this.#pools = pools;
    this.#states = states;
    this.#parking = parking;
    this.#waitingCalls = waitingCalls;
  }

  /** As `SessionManager.lease`. */
  async lease({ restore, from, ...options }: StatefulLeaseOptions): Promise<Lease> {
    if (options.keep && (restore !== undefined || from !== undefined)) throw keptAndRestored();
    checkSources(restore, from);
    const state = restore === undefined ? from : await this.#states.of(options.principal).load(restore);
    const pool = this.#pools.pool(options.pool, options.principal);
    const instance = state
      ? chooseInstance(pool, { instance: options.instance, headless: options.headless, withState: true })
      : options.instance;
    const lease = await this.#pools.lease({
      ...options,
      instance,
      onWait: (wait) => {
        const waiting = this.#waitingCalls.enter(options.principal);
        wait.over.addEventListener('abort', () => waiting[Symbol.dispose](), { once: true });
        this.#parking.makeRoom(wait);
        options.onWait?.(wait);
      },
    });
    if (!state) return lease;
    try {
      await new StateKeeper(this.#pools.clock).bring(lease, state, options.signal);
      return lease;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }
}

/** @throws PwpoolError `INVALID_ARGUMENTS` when there are two sources of a state */
export function checkSources(restore: string | undefined, from: unknown): void {
  if (restore === undefined || from === undefined) return;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    'A session or lease starts from a saved state or from another one, not both.',
    { hint: 'Leave out restore or from.' },
  );
}

function keptAndRestored(): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    'A lease with a state starts clean, and so cannot keep what was there.',
    { hint: 'Leave out keep, or restore and from.' },
  );
}
