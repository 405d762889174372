import { isAlive } from '../driver/process-alive.js';
import { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { Availability } from './availability.js';
import type { Emitter } from './emitter.js';
import type { Leasing } from './leasing.js';
import { lossToldOf } from './pool-errors.js';
import type { LossCause, PoolEvents } from './pool-events.js';
import type { Supervisor } from './supervisor.js';

export interface LossesOptions {
  events: Emitter<PoolEvents>;
  leasing: Pick<Leasing, 'takeBack'>;
  supervisor: Pick<Supervisor, 'recover'>;
  availability: Pick<Availability, 'afterLossOf'>;
}

/** Ends the leases of browsers that are gone or of no use, and has their instances brought back. */
export class Losses {
  readonly #options: LossesOptions;
  #stopped = false;

  constructor(options: LossesOptions) {
    this.#options = options;
  }

  /** The driver told that the browser is gone, or that it had to give it up (`cause: 'unresponsive'`). */
  lose(instance: Instance, error: PwpoolError): void {
    if (this.#stopped) return;
    const { leasing, supervisor } = this.#options;
    const cause = error.details?.['cause'] === 'unresponsive' ? 'unresponsive' : 'crash';
    this.#tell(instance, cause, error.message);
    leasing.takeBack(instance, this.#forHolder(instance, error));
    supervisor.recover(instance);
  }

  /** The browser has missed its probes. That it has ended is told by a probe, now and then, before the driver does. */
  unresponsive(instance: Instance): void {
    const processId = instance.browser?.processId ?? null;
    const ended = processId !== null && !isAlive(processId);
    const reason = instance.health.error ?? 'It does not answer.';
    this.giveUp(instance, ended ? 'crash' : 'unresponsive', reason);
  }

  /** The browser is there but of no use: it is killed and replaced. */
  giveUp(instance: Instance, cause: LossCause, reason: string): void {
    if (this.#stopped) return;
    const { leasing, supervisor } = this.#options;
    this.#tell(instance, cause, reason);
    leasing.takeBack(instance, this.#forHolder(instance, givenUp(instance, reason)));
    void instance.abandon(reason).then(() => supervisor.recover(instance));
  }

  /** The browser did not start for a lease: the start has told so, and there is nothing to lose. */
  startFailed(instance: Instance, reason: string): void {
    if (this.#stopped) return;
    const { leasing, supervisor } = this.#options;
    leasing.takeBack(instance, this.#forHolder(instance, givenUp(instance, reason)));
    supervisor.recover(instance);
  }

  /** The pool is closing: browsers end, and nothing has to be done about it. */
  stop(): void {
    this.#stopped = true;
  }

  #forHolder(instance: Instance, error: PwpoolError): PwpoolError {
    return lossToldOf(error, this.#options.availability.afterLossOf(instance));
  }

  #tell({ id, config }: Instance, cause: LossCause, reason: string): void {
    this.#options.events.emit('instance-lost', () => ({ pool: config.pool, instance: id, cause, reason }));
  }
}

function givenUp({ id, config }: Instance, reason: string): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `Instance '${id}' of pool '${config.pool}' was given up: ${reason}`,
  );
}
