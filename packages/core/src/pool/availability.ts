import type { PwpoolError } from '../errors.js';
import type { PoolContext } from './pool-context.js';
import { instanceFailed, noHealthyInstances, outOfService } from './pool-errors.js';
import type { Slot } from './slot.js';

/** Why that instance, or any, is not worth waiting for; `undefined` if it is. */
export function refusal(pool: PoolContext, wanted?: Slot): PwpoolError | undefined {
  const { slots, name } = pool;
  if (!slots.isOpen) return slots.givenUp.size > 0 ? noneHealthy(pool) : outOfService(name, pool.elsewhere());
  switch (wanted?.service) {
    case 'out':
      return outOfService(name, pool.elsewhere(), wanted.id);
    case 'given-up':
      return instanceFailed(wanted.instance);
    default:
      return undefined;
  }
}

export function noneHealthy(pool: PoolContext): PwpoolError {
  const instances = [...pool.slots].map(({ instance }) => instance);
  return noHealthyInstances(pool.config, instances, pool.elsewhere());
}

/** Tells those who wait for an instance that comes back no more; all who wait, when it was the last. */
export function refuseWaiters(pool: PoolContext, slot: Slot): void {
  const noneLeft = refusal(pool);
  const error = noneLeft ?? refusal(pool, slot);
  if (error) pool.queue.rejectWaiters(error, noneLeft ? undefined : slot.id);
}
