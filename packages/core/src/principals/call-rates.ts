import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { Principal } from './principal.js';

const MINUTE_MS = 60_000;

/** What a principal has left of its calls, and when that was so. */
interface Allowance {
  calls: number;
  at: number;
}

/**
 * Keeps principals to their calls a minute: each may make as many at once, and has them back evenly over a minute.
 */
export class CallRates {
  readonly #clock: Clock;
  readonly #allowances = new Map<string, Allowance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a call. One that is refused does not count.
   * @throws PwpoolError `RATE_LIMITED`, with `retryAfterMs` in its details
   */
  admit(principal: Principal | undefined): void {
    const limit = principal?.limits.callsPerMinute;
    if (principal === undefined || limit === undefined) return;
    const now = this.#clock.now();
    const last = this.#allowances.get(principal.name) ?? { calls: limit, at: now };
    // A clock that was set back takes nothing away.
    const gained = (Math.max(now - last.at, 0) * limit) / MINUTE_MS;
    const calls = Math.min(last.calls + gained, limit);
    if (calls < 1) throw rateLimited(principal.name, limit, Math.ceil(((1 - calls) * MINUTE_MS) / limit));
    this.#allowances.set(principal.name, { calls: calls - 1, at: now });
  }
}

function rateLimited(name: string, limit: number, retryAfterMs: number): PwpoolError {
  return new PwpoolError('RATE_LIMITED', `'${name}' has made its ${limit} calls a minute.`, {
    hint: `Try again in ${Math.ceil(retryAfterMs / 1000)} s, and do more in one call, with browser_execute_bulk.`,
    details: { limit, retryAfterMs },
  });
}
