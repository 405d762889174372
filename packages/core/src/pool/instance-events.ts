import type { InstanceConfig } from '../config/model.js';
import { type ErrorCode, PwpoolError } from '../errors.js';
import type { InstanceObserver } from '../instance/instance-observer.js';
import type { Emitter } from './emitter.js';
import type { PoolEvents } from './pool-events.js';

/** What the pool does about it. */
export interface InstanceOwner {
  lost: (error: PwpoolError) => void;
  started: () => void;
  stopped: () => void;
  /** It missed a probe, or is no longer suspected. */
  suspected: (isSuspect: boolean) => void;
  /** A call had no answer in time, which may be its browser's fault. */
  doubted: () => void;
}

/** Codes of calls that ran out of time. */
const TIMEOUTS: ReadonlySet<ErrorCode> = new Set(['CALL_TIMEOUT', 'NAVIGATION_TIMEOUT']);

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
      if (from === 'suspect' || to === 'suspect') owner.suspected(to === 'suspect');
    },
    startEnded: (elapsedMs, error) => {
      if (error === undefined) {
        owner.started();
        events.emit('instance-started', () => ({ pool, instance, elapsedMs }));
      } else events.emit('instance-start-failed', () => ({ pool, instance, elapsedMs, error }));
    },
    callEnded: (tool, elapsedMs, error, isError) => {
      if (error instanceof PwpoolError && TIMEOUTS.has(error.code)) owner.doubted();
      events.emit('tool-called', () => ({ pool, instance, tool, elapsedMs, error, isError }));
    },
  };
}
