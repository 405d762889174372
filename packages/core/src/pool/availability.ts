import type { PwpoolError } from '../errors.js';
import type { ErrorFor } from '../lease/waiters.js';
import type { Principal } from '../principals/principal.js';
import type { PoolContext } from './pool-context.js';
import { instanceFailed, noHealthyInstances, outOfService } from './pool-errors.js';
import type { Slot } from './slot.js';

/** Why that instance, or any, is not worth waiting for, in words for a caller; `undefined` if it is. */
export function refusal(pool: PoolContext, wanted?: Slot): ErrorFor | undefined {
  const { slots, name } = pool;
  if (!slots.isOpen && slots.givenUp.size > 0) return (caller) => noneHealthy(pool, caller);
  if (!slots.isOpen) return (caller) => outOfService(name, pool.elsewhere(caller));
  switch (wanted?.service) {
    case 'out':
      return (caller) => outOfService(name, pool.elsewhere(caller), wanted.id);
    case 'given-up':
      return () => instanceFailed(wanted.instance);
    default:
      return undefined;
  }
}

export function noneHealthy(pool: PoolContext, caller: Principal | undefined): PwpoolError {
  const instances = [...pool.slots].map(({ instance }) => instance);
  return noHealthyInstances(pool.config, instances, pool.elsewhere(caller));
}

/** Tells those who wait for an instance that comes back no more; all who wait, when it was the last. */
export function refuseWaiters(pool: PoolContext, slot: Slot): void {
  const noneLeft = refusal(pool);
  const error = noneLeft ?? refusal(pool, slot);
  if (error) pool.queue.rejectWaiters(error, noneLeft ? undefined : slot.id);
}
