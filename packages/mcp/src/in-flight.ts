import type { ToolResult } from '@pwpool/core';
import { type Clock, PwpoolError } from '@pwpool/core';
import { within } from '@pwpool/core/internal';
import { errorResult } from './result.js';

/** Counts the calls that are running, so that a shutdown can let them finish. */
export class InFlight {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** Runs a call, or refuses it when the server is ending. */
  async track(call: () => Promise<ToolResult>): Promise<ToolResult> {
    if (this.#closed) {
      return errorResult(
        new PwpoolError('SHUTTING_DOWN', 'The server is shutting down and takes no more calls.'),
      );
    }
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
    this.#closed = true;
    if (this.#running.size === 0) return;
    await within(clock, graceMs, () => Promise.allSettled(this.#running));
  }
}
