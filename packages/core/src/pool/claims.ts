import type { Clock } from '../clock.js';
import type { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import { drainedByForce } from './pool-errors.js';

interface Claim {
  settle: () => void;
  overdue: PwpoolError | undefined;
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
   * Waits until nobody holds the instance.
   * @param timeoutMs after so many milliseconds `expire` is called; `undefined`: never
   */
  async wait(
    instance: Instance,
    timeoutMs: number | undefined,
    expire: (error: PwpoolError) => void,
  ): Promise<void> {
    const claim: Claim = { settle: () => {}, overdue: undefined };
    const settled = new Promise<void>((resolve) => {
      claim.settle = resolve;
    });
    const onTimeout = (afterMs: number) => {
      claim.overdue = drainedByForce(instance, afterMs);
      expire(claim.overdue);
    };
    const cancelTimer =
      timeoutMs === undefined ? () => {} : this.#clock.after(timeoutMs, () => onTimeout(timeoutMs));
    this.#claims.set(instance, claim);
    await settled;
    cancelTimer();
    this.#claims.delete(instance);
  }
}
