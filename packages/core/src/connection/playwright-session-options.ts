import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { ConnectMetrics } from './connection-keeper.js';
import type { ReturnMode } from './return-mode.js';

export interface PlaywrightSessionOptions {
  /** Milliseconds that connecting may take, handshake included. Default 30,000. */
  connectTimeout?: number | undefined;
  /** Milliseconds that a call may take, connecting included, unless it says otherwise. Default 60,000. */
  callTimeout?: number | undefined;
  clock?: Clock | undefined;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds, connecting included. Default: the session's `callTimeout`. */
  timeout?: number | undefined;
}

export interface CallToolOptions<Mode extends ReturnMode = ReturnMode> extends RequestOptions {
  /** Default `first`. */
  returnMode?: Mode | undefined;
}

/** Times in milliseconds. */
export interface PlaywrightSessionMetrics extends ConnectMetrics {
  /** Calls of `callTool`. */
  calls: number;
  /** Those that threw, or whose result reports a fault. */
  failures: number;
  /** Time spent in tool calls, without the time to connect. */
  callMsTotal: number;
}

/** @throws PwpoolError `INVALID_ARGUMENTS`, naming the field */
export function checkTimeout(field: string, milliseconds: number): number {
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `${field}: expected milliseconds above 0, not ${milliseconds}.`,
    {
      hint: `Give ${field} as a finite number above 0, or leave it out.`,
    },
  );
}
