import type { InstanceConfig } from '../config/model.js';
import type { PwpoolError } from '../errors.js';
import type { InstanceObserver } from '../instance/instance-observer.js';
import type { Emitter } from './emitter.js';
import type { PoolEvents } from './pool-events.js';

/** Makes events of what an instance tells. */
export function observe(
  events: Emitter<PoolEvents>,
  { pool, id: instance }: InstanceConfig,
  lost: (error: PwpoolError) => void,
): InstanceObserver {
  return {
    lost,
    stateChanged: (from, to) => events.emit('instance-state', () => ({ pool, instance, from, to })),
    startEnded: (elapsedMs, error) => {
      if (error === undefined) events.emit('instance-started', () => ({ pool, instance, elapsedMs }));
      else events.emit('instance-start-failed', () => ({ pool, instance, elapsedMs, error }));
    },
    callEnded: (tool, elapsedMs, error) =>
      events.emit('tool-called', () => ({ pool, instance, tool, elapsedMs, error })),
  };
}
