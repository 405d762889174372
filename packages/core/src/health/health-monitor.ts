import type { CancelTimer, Clock } from '../clock.js';
import type { PoolSettings } from '../config/model.js';
import type { Instance } from '../instance/instance.js';
import type { RunningBrowser } from '../instance/running-browser.js';

/** Probes under way at once: an idle browser opens a page for its own, which takes memory and processor time. */
const PROBES_AT_ONCE = 8;

/** Milliseconds for which what is known of a browser counts as news. */
const FRESH_MS = 1_000;

/** Milliseconds that a browser has to give a sign of life to somebody who asks how the pool is. */
const GLANCE_MS = 1_000;

export interface HealthMonitorOptions {
  instances: () => Iterable<Instance>;
  clock: Clock;
  settings: () => Pick<PoolSettings, 'healthInterval' | 'healthTimeout' | 'healthFailures'>;
  /** How often the instance has been granted; `undefined` while it is not idle. An idle one is looked at more closely. */
  idleAfter: (instance: Instance) => number | undefined;
  /** Called after each round, with those that have answered. */
  onWell: (instances: readonly Instance[]) => Promise<void>;
  /** Called for an instance that missed `healthFailures` probes in a row. */
  onUnresponsive: (instance: Instance) => void;
}

/**
 * Probes every running instance each interval, leased or not, without its lease: a probe never waits for a call and
 * a call never for a probe. A round begins when the last one is over.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  /** Probes missed in a row. */
  readonly #missed = new WeakMap<RunningBrowser, number>();
  /** Probes under way. */
  readonly #probes = new Map<Instance, Promise<boolean>>();
  /** Set between two rounds. */
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

  /** Another interval holds from now on; from the end of a round that is under way. */
  applySettings(): void {
    if (!this.#cancelTimer) return;
    this.#cancelTimer();
    this.#schedule();
  }

  /** Probes the instance now, since there is cause to doubt its browser. A miss is seen in its state and costs no more. */
  doubt(instance: Instance): void {
    if (this.#running && isRunning(instance)) void this.#probe(instance);
  }

  /** Looks at the browsers that were not asked for a moment, all at once: what is told of them next is so. Takes a second at most. */
  async refresh(): Promise<void> {
    const now = this.#options.clock.now();
    const stale = [...this.#options.instances()].filter(
      (instance) => isRunning(instance) && now - (instance.health.lastCheck ?? 0) >= FRESH_MS,
    );
    await Promise.all(
      stale.map(async (instance) => {
        await instance.glance(GLANCE_MS);
        if (instance.state === 'suspect') this.doubt(instance);
      }),
    );
  }

  #schedule(): void {
    if (!this.#running) return;
    this.#cancelTimer = this.#options.clock.after(this.#options.settings().healthInterval, () => {
      this.#cancelTimer = undefined;
      void this.#round().finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const all = [...this.#options.instances()].values();
    const well: Instance[] = [];
    const probe = async () => {
      for (const instance of all) {
        if (isRunning(instance) && (await this.#check(instance))) well.push(instance);
      }
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE }, probe));
    await this.#options.onWell(well);
  }

  /** Whether the browser has answered. */
  async #check(instance: Instance): Promise<boolean> {
    const { settings, onUnresponsive } = this.#options;
    const { browser } = instance;
    const answered = await this.#probe(instance);
    // A browser that came up meanwhile has not been asked.
    if (!browser || instance.browser !== browser) return false;
    if (answered) {
      this.#missed.delete(browser);
      return true;
    }
    const count = (this.#missed.get(browser) ?? 0) + 1;
    this.#missed.set(browser, count);
    if (count >= settings().healthFailures) onUnresponsive(instance);
    return false;
  }

  /** One probe at a time: whoever asks meanwhile shares it. */
  async #probe(instance: Instance): Promise<boolean> {
    const { settings, idleAfter } = this.#options;
    let probe = this.#probes.get(instance);
    if (!probe) {
      const grants = idleAfter(instance);
      // A holder who came and went meanwhile has left his traces, too.
      const isIdle = () => grants !== undefined && idleAfter(instance) === grants;
      probe = instance.probe(settings().healthTimeout, isIdle);
      this.#probes.set(instance, probe);
      void probe.finally(() => this.#probes.delete(instance));
    }
    return await probe;
  }
}

function isRunning({ state }: Instance): boolean {
  return state === 'healthy' || state === 'suspect';
}
