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
  supervisor: Pick<Supervisor, 'ask' | 'givenUp' | 'comesBack'>;
  upkeep: Pick<Upkeep, 'outOfService'>;
  leasing: Pick<Leasing, 'refuseWaiters'>;
  /** The other pools that have browsers. */
  elsewhere: () => readonly string[];
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
    const { current, elsewhere, members, supervisor, upkeep } = this.#options;
    const config = current();
    const { givenUp } = supervisor;
    if (!this.isOpen) {
      return givenUp.size > 0
        ? noHealthyInstances(config, members, elsewhere())
        : outOfService(config.name, elsewhere());
    }
    if (!wanted) return undefined;
    if (upkeep.outOfService.has(wanted)) return outOfService(config.name, elsewhere(), wanted.id);
    return givenUp.has(wanted) ? instanceFailed(wanted) : undefined;
  }

  /** Whether there is an instance that is worth waiting for. */
  get isOpen(): boolean {
    const { members, supervisor, upkeep } = this.#options;
    // No instance is in both: taking one out of service forgives it what it has failed.
    return supervisor.givenUp.size + upkeep.outOfService.size < members.size;
  }

  /** What whoever asks again will be told when that instance has been lost; `undefined` if it gets one, perhaps later. */
  afterLossOf(lost: Instance): PwpoolError | undefined {
    const { current, elsewhere, members, supervisor, upkeep } = this.#options;
    if (supervisor.comesBack(lost)) return undefined;
    const isLeft = (each: Instance) =>
      each !== lost && !supervisor.givenUp.has(each) && !upkeep.outOfService.has(each);
    return [...members].some(isLeft) ? undefined : noHealthyInstances(current(), members, elsewhere());
  }

  /** Tells those who wait for an instance that comes back no more; all who wait, when it was the last. */
  refuseWaiters(instance: Instance): void {
    const noneLeft = this.refusal();
    const error = noneLeft ?? this.refusal(instance);
    if (error) this.#options.leasing.refuseWaiters(error, noneLeft ? undefined : instance);
  }
}
