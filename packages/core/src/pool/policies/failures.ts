import { PwpoolError } from '../../errors.js';
import type { Instance } from '../../instance/instance.js';
import { isAlive } from '../../process-identity.js';
import { noneHealthy } from '../availability.js';
import { endLease } from '../lease-watch.js';
import type { PoolContext } from '../pool-context.js';
import { lossToldOf } from '../pool-errors.js';
import type { LossCause } from '../pool-events.js';
import type { Slot } from '../slot.js';
import { comesBack, recover } from './recovery.js';

/** The driver told that the browser is gone, or that it had to give it up (`cause: 'unresponsive'`). */
export function lost(pool: PoolContext, slot: Slot, error: PwpoolError): void {
  if (pool.closedBy) return;
  const cause = error.details?.['cause'] === 'unresponsive' ? 'unresponsive' : 'crash';
  tell(pool, slot, cause, error.message);
  takeBack(pool, slot, forHolder(pool, slot, error));
  recover(pool, slot);
}

/** The browser has missed its probes. That it has ended is told by a probe, now and then, before the driver does. */
export function unresponsive(pool: PoolContext, slot: Slot): void {
  const { browser, health } = slot.instance;
  const processId = browser?.processId ?? null;
  const ended = processId !== null && !isAlive(processId);
  giveUp(pool, slot, ended ? 'crash' : 'unresponsive', health.error ?? 'It does not answer.');
}

/** The browser is there but of no use: it is killed and replaced. */
export function giveUp(pool: PoolContext, slot: Slot, cause: LossCause, reason: string): void {
  if (pool.closedBy) return;
  tell(pool, slot, cause, reason);
  takeBack(pool, slot, forHolder(pool, slot, givenUp(slot.instance, reason)));
  recover(pool, slot, slot.instance.abandon(reason));
}

/** The browser did not start for a lease: the start has told so, and there is nothing to lose. */
export function startFailed(pool: PoolContext, slot: Slot, reason: string): void {
  if (pool.closedBy) return;
  takeBack(pool, slot, forHolder(pool, slot, givenUp(slot.instance, reason)));
  recover(pool, slot);
}

/** Ends the lease of an instance, if there is one, and takes the instance out of circulation. */
export function takeBack(pool: PoolContext, slot: Slot, error: PwpoolError): void {
  pool.queue.revoke(slot.id);
  slot.used = false;
  slot.lease?.revoke(error);
  endLease(pool, slot);
  slot.instance.runHeadless(undefined);
}

/** With what its holder can do: whoever asks again gets a browser, perhaps later, or is told that there is none. */
function forHolder(pool: PoolContext, slot: Slot, error: PwpoolError): PwpoolError {
  const isLeft = (each: Slot) => each !== slot && each.service === 'in';
  const isLast = !comesBack(pool, slot) && ![...pool.slots].some(isLeft);
  return lossToldOf(error, isLast ? noneHealthy(pool, slot.lease?.principal) : undefined);
}

function tell({ events, name }: PoolContext, slot: Slot, cause: LossCause, reason: string): void {
  slot.failed(reason);
  events.emit('instance-lost', () => ({ pool: name, instance: slot.id, cause, reason }));
}

function givenUp({ id, config }: Instance, reason: string): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `Instance '${id}' of pool '${config.pool}' was given up: ${reason}`,
  );
}
