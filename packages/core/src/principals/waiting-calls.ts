import { PwpoolError } from '../errors.js';
import type { Principal } from './principal.js';

/** A wait ends when something else does, which nobody knows: soon enough to be worth another look. */
const RETRY_AFTER_MS = 1_000;

/** Keeps principals to so many calls that wait at a time, for a free browser or behind other calls of a session. */
export class WaitingCalls {
  readonly #waiting = new Map<string, number>();

  /**
   * Counts a call that waits, until what it gives is disposed of.
   * @throws PwpoolError `POOL_BUSY`, with `retryAfterMs` in its details
   */
  enter(principal: Principal | undefined): Disposable {
    if (principal === undefined) return { [Symbol.dispose]() {} };
    const { name, limits } = principal;
    const waiting = this.#waiting.get(name) ?? 0;
    if (limits.waitingCalls !== undefined && waiting >= limits.waitingCalls) {
      throw tooManyWait(name, limits.waitingCalls);
    }
    this.#waiting.set(name, waiting + 1);
    let waits = true;
    return {
      [Symbol.dispose]: () => {
        if (waits) this.#leave(name);
        waits = false;
      },
    };
  }

  #leave(name: string): void {
    const left = (this.#waiting.get(name) ?? 0) - 1;
    if (left > 0) this.#waiting.set(name, left);
    else this.#waiting.delete(name);
  }
}

function tooManyWait(name: string, limit: number): PwpoolError {
  return new PwpoolError(
    'POOL_BUSY',
    limit === 0
      ? `No browser is free, and calls of '${name}' may not wait for one.`
      : `${limit} calls of '${name}' wait for a browser already, which is its limit.`,
    {
      hint: `Try again in ${RETRY_AFTER_MS / 1000} s, when one of yours has its turn.`,
      details: { limit, retryAfterMs: RETRY_AFTER_MS },
    },
  );
}
