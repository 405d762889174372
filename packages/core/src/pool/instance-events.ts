import type { InstanceConfig } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import type { InstanceObserver } from '../instance/instance-observer.js';
import type { Emitter } from './emitter.js';
import type { PoolEvents } from './pool-events.js';

/** What the pool does about it. */
export interface InstanceOwner {
  lost: (error: PwpoolError) => void;
  started: () => void;
  stopped: () => void;
}

/** Makes events of what an instance tells. */
export function observe(
  events: Emitter<PoolEvents>,
  { pool, id: instance }: InstanceConfig,
  owner: InstanceOwner,
): InstanceObserver {
  return {
    lost: owner.lost,
    stateChanged: (from, to) => {
      events.emit('instance-state', () => ({ pool, instance, from, to }));
      if (to === 'stopped') owner.stopped();
    },
    startEnded: (elapsedMs, error) => {
      if (error === undefined) {
        owner.started();
        events.emit('instance-started', () => ({ pool, instance, elapsedMs }));
      } else events.emit('instance-start-failed', () => ({ pool, instance, elapsedMs, error }));
    },
    callEnded: (tool, elapsedMs, error, isError) =>
      events.emit('tool-called', () => ({ pool, instance, tool, elapsedMs, error, isError })),
  };
}
