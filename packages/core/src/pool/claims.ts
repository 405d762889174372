import type { CancelTimer, Clock } from '../clock.js';
import type { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { Patience } from './patience.js';
import { takenByForce } from './pool-errors.js';

interface Claim {
  settle: () => void;
  expire: (error: PwpoolError) => void;
  overdue: PwpoolError | undefined;
  /** Milliseconds since the epoch. */
  dueAt: number;
  cancelTimer: CancelTimer;
}

/** Maintenance that waits for the holders of instances: one at a time for each. */
export class Claims {
  readonly #clock: Clock;
  readonly #claims = new Map<Instance, Claim>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(instance: Instance): boolean {
    return this.#claims.has(instance);
  }

  /** Set when the claim has waited for long enough: whoever is about to get the instance gets this error instead. */
  overdue(instance: Instance): PwpoolError | undefined {
    return this.#claims.get(instance)?.overdue;
  }

  /** Nobody holds the instance any more. */
  settle(instance: Instance): void {
    this.#claims.get(instance)?.settle();
  }

  /**
   * Waits until nobody holds the instance; for ever without `patience`.
   * @param expire called when the wait has been long enough
   */
  async wait(
    instance: Instance,
    patience: Patience | undefined,
    expire: (error: PwpoolError) => void,
  ): Promise<void> {
    const dueAt = Number.POSITIVE_INFINITY;
    const claim: Claim = { settle: () => {}, expire, overdue: undefined, dueAt, cancelTimer: () => {} };
    const settled = new Promise<void>((resolve) => {
      claim.settle = resolve;
    });
    this.#claims.set(instance, claim);
    if (patience) this.hasten(instance, patience);
    await settled;
    claim.cancelTimer();
    this.#claims.delete(instance);
  }

  /** Somebody else waits for the same holder, and perhaps not for so long. */
  hasten(instance: Instance, patience: Patience): void {
    const claim = this.#claims.get(instance);
    const dueAt = this.#clock.now() + patience.timeoutMs;
    if (!claim || claim.dueAt <= dueAt) return;
    claim.cancelTimer();
    claim.dueAt = dueAt;
    claim.cancelTimer = this.#clock.after(patience.timeoutMs, () => {
      claim.overdue = takenByForce(instance, patience);
      claim.expire(claim.overdue);
    });
  }
}
