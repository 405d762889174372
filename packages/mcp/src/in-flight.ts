import type { ToolResult } from '@pwpool/core';
import { type Clock, PwpoolError } from '@pwpool/core';
import { within } from '@pwpool/core/internal';
import { errorResult } from './result.js';

/** Counts the calls that are running, so that a shutdown can let them finish. */
export class InFlight {
  readonly #running = new Set<Promise<unknown>>();
  /** When another server may be there, in milliseconds, once this one is ending. */
  #retryAfterMs: number | undefined;

  /** Runs a call, or refuses it when the server is ending. */
  async track(call: () => Promise<ToolResult>): Promise<ToolResult> {
    if (this.#retryAfterMs !== undefined) return errorResult(shuttingDown(this.#retryAfterMs));
    const running = call();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses new calls and waits for the running ones, `graceMs` milliseconds at most. */
  async finish(clock: Clock, graceMs: number): Promise<void> {
    this.#retryAfterMs = graceMs;
    if (this.#running.size === 0) return;
    await within(clock, graceMs, () => Promise.allSettled(this.#running));
  }
}

/** @param retryAfterMs how long the running calls may take to end */
export function shuttingDown(retryAfterMs: number): PwpoolError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new PwpoolError('SHUTTING_DOWN', 'The server is shutting down and takes no more calls.', {
    hint: `Try again in ${seconds} s: if it is started again, it answers by then, and sessions are to be started anew.`,
    details: { retryAfterMs: seconds * 1000 },
  });
}
