import type { PoolConfig } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { Leasing } from './leasing.js';
import type { Members } from './members.js';
import { instanceFailed, noHealthyInstances, outOfService } from './pool-errors.js';
import type { Supervisor } from './supervisor.js';
import type { Upkeep } from './upkeep.js';

export interface AvailabilityOptions {
  current: () => PoolConfig;
  members: Members;
  supervisor: Pick<Supervisor, 'ask' | 'givenUp'>;
  upkeep: Pick<Upkeep, 'outOfService'>;
  leasing: Pick<Leasing, 'refuseWaiters'>;
}

/** Knows which instances are not worth waiting for, since they failed for good or are out of service. */
export class Availability {
  readonly #options: AvailabilityOptions;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Why somebody who asks for that instance, or any, would wait in vain. What was given up a while ago is tried again first. */
  answer(wanted?: Instance): PwpoolError | undefined {
    this.#options.supervisor.ask(wanted);
    return this.refusal(wanted);
  }

  /** Why that instance, or any, is not worth waiting for. */
  refusal(wanted?: Instance): PwpoolError | undefined {
    const { current, members, supervisor, upkeep } = this.#options;
    const config = current();
    // No instance is in both: taking one out of service forgives it what it has failed.
    const { givenUp } = supervisor;
    const drained = upkeep.outOfService;
    if (givenUp.size + drained.size === members.size) {
      return givenUp.size > 0 ? noHealthyInstances(config, members) : outOfService(config.name);
    }
    if (!wanted) return undefined;
    if (drained.has(wanted)) return outOfService(config.name, wanted.id);
    return givenUp.has(wanted) ? instanceFailed(wanted) : undefined;
  }

  /** Tells those who wait for an instance that comes back no more; all who wait, when it was the last. */
  refuseWaiters(instance: Instance): void {
    const noneLeft = this.refusal();
    const error = noneLeft ?? this.refusal(instance);
    if (error) this.#options.leasing.refuseWaiters(error, noneLeft ? undefined : instance);
  }
}
