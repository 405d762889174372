import type { PwpoolError } from '../errors.js';
import type { InstanceState } from './instance-state.js';

/** What an instance tells its owner. */
export interface InstanceObserver {
  /** The browser is gone without having been asked to close. Told once a browser. */
  lost(error: PwpoolError): void;
  stateChanged(from: InstanceState, to: InstanceState): void;
  /** A start is over, after so many milliseconds; `error` if it failed. */
  startEnded(elapsedMs: number, error: unknown): void;
  /** A call is over; `error` if it failed, `isError` if the tool itself answered that it did. */
  callEnded(tool: string, elapsedMs: number, error: unknown, isError: boolean): void;
}
