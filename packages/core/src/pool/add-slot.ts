import type { InstanceConfig } from '../config/model.js';
import { type ErrorCode, PwpoolError, reasonOf } from '../errors.js';
import { Instance } from '../instance/instance.js';
import type { InstanceObserver } from '../instance/instance-observer.js';
import { lost } from './policies/failures.js';
import { doubt } from './policies/health-checks.js';
import type { Prewarm } from './policies/prewarm.js';
import type { PoolContext } from './pool-context.js';
import { Slot } from './slot.js';

/** Codes of calls that ran out of time. */
const TIMEOUTS: ReadonlySet<ErrorCode> = new Set(['CALL_TIMEOUT', 'NAVIGATION_TIMEOUT']);

/** Makes an instance with its slot, known to the pool from now on and out of circulation until it is begun. */
export function addSlot(pool: PoolContext, prewarm: Prewarm, config: InstanceConfig): Slot {
  const { driver, clock, events, queue, slots } = pool;
  const about = { pool: config.pool, instance: config.id };
  const instance: Instance = new Instance({
    config,
    driver,
    clock,
    enterStart: (signal) => enterStart(pool, instance, signal),
    observer: observe(pool, () => slot),
  });
  const slot: Slot = new Slot({
    instance,
    clock,
    queue,
    ownerChanged: (from, to) => {
      events.emit('instance-owner', () => ({ ...about, from: from.kind, to: to.kind, why: to.why }));
      prewarm.check();
    },
  });
  slots.add(slot);
  queue.add(slot.id, { reserve: true });
  return slot;
}

/** What the pool does about what an instance tells, and the events that it makes of it. */
function observe(pool: PoolContext, slotOf: () => Slot): InstanceObserver {
  const { events, mutex, queue } = pool;
  const about = () => ({ pool: pool.name, instance: slotOf().id });
  return {
    lost: (error) => lost(pool, slotOf(), error),
    stateChanged: (from, to) => {
      events.emit('instance-state', () => ({ ...about(), from, to }));
      if (to === 'stopped') mutex.release(slotOf().instance);
      // A suspect is given to nobody who can have another.
      if (from === 'suspect' || to === 'suspect') queue.setDoubtful(slotOf().id, to === 'suspect');
    },
    startEnded: (elapsedMs, error) => {
      if (error === undefined) {
        slotOf().renew();
        events.emit('instance-started', () => ({ ...about(), elapsedMs }));
      } else {
        slotOf().failed(reasonOf(error));
        events.emit('instance-start-failed', () => ({ ...about(), elapsedMs, error }));
      }
    },
    callEnded: (tool, elapsedMs, error, isError) => {
      // A call without an answer may be its browser's fault.
      if (error instanceof PwpoolError && TIMEOUTS.has(error.code)) doubt(pool, slotOf());
      events.emit('tool-called', () => ({ ...about(), tool, elapsedMs, error, isError }));
    },
  };
}

/** A start that need not wait has its place at the gate before this returns. */
async function enterStart(pool: PoolContext, instance: Instance, signal: AbortSignal): Promise<() => void> {
  const free = pool.mutex.lock(instance, signal);
  if (free !== undefined) await free;
  return await pool.gate.enter(signal);
}
