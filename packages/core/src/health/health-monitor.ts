import type { CancelTimer, Clock } from '../clock.js';
import type { Instance } from '../instance/instance.js';

export interface HealthMonitorOptions {
  instances: () => Iterable<Instance>;
  clock: Clock;
  /** Milliseconds between two rounds. */
  intervalMs: number;
  /** Milliseconds that a probe may take. */
  timeoutMs: number;
  /** Called for an instance that missed two probes in a row. */
  onUnresponsive: (instance: Instance) => void;
}

/**
 * Probes every running instance each interval, leased or not, without its lease: a probe never waits for a call and
 * a call never for a probe. A round begins when the last one is over.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  #cancelTimer: CancelTimer | undefined;
  #running = false;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#schedule();
  }

  stop(): void {
    this.#running = false;
    this.#cancelTimer?.();
  }

  #schedule(): void {
    if (!this.#running) return;
    this.#cancelTimer = this.#options.clock.after(this.#options.intervalMs, () => {
      void this.#round().finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const running = [...this.#options.instances()].filter(
      ({ state }) => state === 'healthy' || state === 'suspect',
    );
    await Promise.all(running.map((instance) => this.#check(instance)));
  }

  async #check(instance: Instance): Promise<void> {
    const suspected = instance.state === 'suspect';
    const answered = await instance.probe(this.#options.timeoutMs);
    if (!answered && suspected && instance.state === 'suspect') this.#options.onUnresponsive(instance);
  }
}
