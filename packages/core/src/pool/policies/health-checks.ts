import type { CancelTimer } from '../../clock.js';
import type { PoolContext } from '../pool-context.js';
import type { Slot } from '../slot.js';
import { unresponsive } from './failures.js';
import { recycleIdle } from './recycling.js';

/** Probes under way at once: an idle browser opens a page for its own, which takes memory and processor time. */
const PROBES_AT_ONCE = 8;

/** Milliseconds for which what is known of a browser counts as news. */
const FRESH_MS = 1_000;

/** Milliseconds that a browser has to give a sign of life to somebody who asks how the pool is. */
const GLANCE_MS = 1_000;

/**
 * Probes every running instance each interval, leased or not, without its lease: a probe never waits for a call and
 * a call never for a probe. A round begins when the last one is over.
 */
export class HealthChecks {
  readonly #pool: PoolContext;
  /** Set between two rounds. */
  #cancelTimer: CancelTimer | undefined;
  #running = false;

  constructor(pool: PoolContext) {
    this.#pool = pool;
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

  /** Looks at the browsers that were not asked for a moment, all at once: what is told of them next is so. Takes a second at most. */
  async refresh(): Promise<void> {
    const now = this.#pool.clock.now();
    const stale = [...this.#pool.slots].filter(
      (slot) => isRunning(slot) && now - (slot.instance.health.lastCheck ?? 0) >= FRESH_MS,
    );
    await Promise.all(
      stale.map(async (slot) => {
        await slot.instance.glance(GLANCE_MS);
        if (slot.instance.state === 'suspect') doubt(this.#pool, slot);
      }),
    );
  }

  #schedule(): void {
    if (!this.#running) return;
    this.#cancelTimer = this.#pool.clock.after(this.#pool.settings.healthInterval, () => {
      this.#cancelTimer = undefined;
      void this.#round().finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const all = [...this.#pool.slots].values();
    const well: Slot[] = [];
    const probeNext = async () => {
      for (const slot of all) if (isRunning(slot) && (await check(this.#pool, slot))) well.push(slot);
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE }, probeNext));
    await recycleIdle(this.#pool, well);
  }
}

/** Probes the instance now, since there is cause to doubt its browser. A miss is seen in its state and costs no more. */
export function doubt(pool: PoolContext, slot: Slot): void {
  if (!pool.closedBy && isRunning(slot)) void probe(pool, slot);
}

/** Whether the browser has answered. One that has missed too many probes in a row is given up. */
async function check(pool: PoolContext, slot: Slot): Promise<boolean> {
  const { wear } = slot;
  const answered = await probe(pool, slot);
  // A browser that came up meanwhile has not been asked.
  if (!slot.instance.browser || slot.wear !== wear) return false;
  wear.missedProbes = answered ? 0 : wear.missedProbes + 1;
  if (wear.missedProbes >= pool.settings.healthFailures) unresponsive(pool, slot);
  return answered;
}

/** One probe at a time: whoever asks meanwhile shares it. An idle browser is looked at more closely. */
async function probe(pool: PoolContext, slot: Slot): Promise<boolean> {
  const underWay = slot.probe;
  if (underWay !== undefined) return await underWay;
  const { grants, isIdle: wasIdle } = slot;
  // A holder who came and went meanwhile has left his traces, too.
  const isIdle = () => wasIdle && slot.isIdle && slot.grants === grants;
  const running: Promise<boolean> = slot.instance.probe(pool.settings.healthTimeout, isIdle);
  slot.probe = running;
  void running.finally(() => {
    slot.probe = undefined;
  });
  return await running;
}

function isRunning({ instance }: Slot): boolean {
  return instance.state === 'healthy' || instance.state === 'suspect';
}
