import type { CancelTimer, Clock } from '../clock.js';
import { WaitingLine } from '../waiting/waiting-line.js';
import { PressureGate } from './pressure-gate.js';
import type { PressureReadings } from './pressure-readings.js';

const INTERVAL_MS = 1_000;

/** Time over which processor use is averaged: starting a browser is itself a burst of a second or two. */
const CPU_AVERAGE_MS = 5_000;

export interface PressureOptions {
  clock: Clock;
  /** Percent of memory in use from which no browser is started; `undefined`: no limit. */
  memoryHighWater: number | undefined;
  /** Percent of processor time in use from which no browser is started; `undefined`: no limit. */
  cpuHighWater: number | undefined;
  readings: PressureReadings;
}

/**
 * Says whether a new browser may be started: not when memory or processors are busier than `MEMORY_HIGH_WATER` and
 * `CPU_HIGH_WATER` allow. Browsers that run already are none of its business.
 *
 * Memory counts as it is, processors by their average over some five seconds.
 */
export class Pressure {
  readonly #clock: Clock;
  readonly #readings: PressureReadings;
  readonly #memory: PressureGate | undefined;
  readonly #cpu: PressureGate | undefined;
  readonly #listeners = new Set<{ notify: () => void }>();
  readonly #line = new WaitingLine();
  #cpuAverage = 0;
  #cpuReadAt: number;
  #cancelTimer: CancelTimer | undefined;

  constructor({ clock, memoryHighWater, cpuHighWater, readings }: PressureOptions) {
    this.#clock = clock;
    this.#readings = readings;
    this.#cpuReadAt = clock.now();
    if (memoryHighWater !== undefined) {
      this.#memory = new PressureGate('the memory', 'MEMORY_HIGH_WATER', memoryHighWater);
    }
    if (cpuHighWater !== undefined) {
      this.#cpu = new PressureGate('the processor time', 'CPU_HIGH_WATER', cpuHighWater);
    }
  }

  /** Reads now and then every second. Nothing is read again where there is no limit, or no reading to compare with it. */
  start(): void {
    if (this.#cancelTimer) return;
    const memoryKnown = this.#memory !== undefined && this.#readings.memoryUsed() !== undefined;
    if (memoryKnown || this.#cpu) this.#schedule();
    this.sample();
  }

  /** Nothing changes after this but by `sample`; those who wait in `admitted` are left to their signals. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Reads at once. */
  sample(): void {
    const wasThrottled = this.reason !== undefined;
    this.#memory?.update(this.#readings.memoryUsed());
    this.#cpu?.update(this.#averageCpu());
    const isThrottled = this.reason !== undefined;
    if (isThrottled === wasThrottled) return;
    if (!isThrottled) this.#line.serveAll();
    for (const { notify } of [...this.#listeners]) notify();
  }

  /** Why no browser is started at the moment, in words; `undefined` when one may be. */
  get reason(): string | undefined {
    const reasons = [this.#memory?.reason, this.#cpu?.reason].filter((reason) => reason !== undefined);
    return reasons.length === 0 ? undefined : reasons.join('; ');
  }

  /** Calls `listener` when starts are throttled and when they are admitted again, until the returned function is called. */
  onChange(listener: () => void): () => void {
    const entry = { notify: listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /**
   * Waits until a browser may be started; at once if it may be.
   * @throws the reason of the signal when that aborts first
   */
  async admitted(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.reason === undefined) return;
    await this.#line.wait({ signal });
  }

  #schedule(): void {
    this.#cancelTimer = this.#clock.after(INTERVAL_MS, () => {
      this.#schedule();
      this.sample();
    });
  }

  /** In whole percent: an average never quite reaches what it averages. */
  #averageCpu(): number {
    const used = this.#readings.cpuUsed();
    const now = this.#clock.now();
    // The system's time may be set back.
    const elapsed = Math.max(now - this.#cpuReadAt, 0);
    this.#cpuReadAt = now;
    if (used !== undefined) {
      this.#cpuAverage += (used - this.#cpuAverage) * (1 - Math.exp(-elapsed / CPU_AVERAGE_MS));
    }
    return Math.round(this.#cpuAverage);
  }
}
