import type { CancelTimer } from '../../clock.js';
import { cool, warm } from '../operations.js';
import type { PoolContext } from '../pool-context.js';
import type { Slot } from '../slot.js';

/** Keeps as many browsers running that nobody uses as `MIN_IDLE` asks for, and closes others after `IDLE_TIMEOUT`. */
export class Prewarm {
  readonly #pool: PoolContext;
  #cancelTimer: CancelTimer | undefined;
  #running = false;
  /** A look is due now. */
  #due = false;

  constructor(pool: PoolContext) {
    this.#pool = pool;
  }

  start(): void {
    this.#running = true;
    this.check();
  }

  stop(): void {
    this.#running = false;
    this.#cancelTimer?.();
  }

  /** Something about the instances has changed: looks at them soon, once for many changes. */
  check(): void {
    const { idleTimeout, minIdle } = this.#pool.settings;
    if (!this.#running || this.#due || (idleTimeout === 0 && minIdle === 0)) return;
    this.#due = true;
    this.#lookAfter(0);
  }

  #lookAfter(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#pool.clock.after(delayMs, () => this.#look());
  }

  #look(): void {
    this.#due = false;
    const { clock, settings, slots, throttled } = this.#pool;
    const { idleTimeout, minIdle } = settings;
    const now = clock.now();
    const idle = [...slots].filter(({ isIdle }) => isIdle);
    const isCold = ({ instance }: Slot) => instance.state === 'stopped';
    const [cold, running] = [idle.filter(isCold), idle.filter((slot) => !isCold(slot))];

    const coming = [...slots].filter(({ owner }) => owner.operation === 'prewarm').length;
    const lacking = throttled === undefined ? minIdle - running.length - coming : 0;
    // A start that fails is the recovery's.
    for (const slot of cold.slice(0, Math.max(lacking, 0))) warm(this.#pool, slot).catch(() => {});

    if (idleTimeout === 0) return;
    const dueAt = ({ owner }: Slot) => owner.since + idleTimeout;
    const spare = running.sort((a, b) => dueAt(a) - dueAt(b)).slice(0, Math.max(running.length - minIdle, 0));
    for (const slot of spare.filter((each) => dueAt(each) <= now)) cool(this.#pool, slot).catch(() => {});
    const next = spare.find((each) => dueAt(each) > now);
    if (next && !this.#due) this.#lookAfter(dueAt(next) - now);
  }
}
