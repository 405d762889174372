import { expect } from 'vitest';
import { workerPortOf } from '../../src/config/instance-driver.js';
import type { Lease } from '../../src/pool/lease.js';
import type { FakeBrowser } from '../../src/testing/fake-driver.js';
import type { PoolFixture } from './pool-fixture.js';

/** Keeps books of its own on who holds what, from what the holders see, and fails when they do not add up. */
export class ChaosLedger {
  readonly #holders = new Map<string, Lease>();
  readonly #browsers = new Set<FakeBrowser>();
  readonly #released = new WeakSet<Lease>();
  readonly #faults: string[] = [];
  #granted = 0;
  #ended = 0;

  constructor({ driver, pools }: PoolFixture) {
    for (const browser of driver.browsers) this.#watch(browser);
    driver.onStart = (browser) => this.#watch(browser);
    pools.on('lease-granted', () => {
      this.#granted += 1;
    });
    pools.on('lease-ended', () => {
      this.#ended += 1;
    });
  }

  /** Those that their holders may use. */
  get held(): Lease[] {
    return [...this.#holders.values()].filter((lease) => !this.#isOver(lease));
  }

  /** A holder has got its lease. */
  take(lease: Lease): void {
    const before = this.#holders.get(lease.instance);
    if (before && !this.#isOver(before)) {
      expect.fail(`Instance ${lease.instance} has two holders: ${before.holder} and ${lease.holder}.`);
    }
    this.#holders.set(lease.instance, lease);
  }

  /** A holder gives its lease back. */
  release(lease: Lease): Promise<void> {
    this.#released.add(lease);
    return lease.release();
  }

  /** One browser in use at most for each instance and each port, and one end for each lease. */
  check(): void {
    expect(this.#faults).toEqual([]);
    const inUse = new Map<string, FakeBrowser>();
    const ports = new Set<number>();
    for (const browser of this.#browsers) {
      if (browser.lost.aborted || browser.disposing.count > 0) {
        this.#browsers.delete(browser);
        continue;
      }
      const { id } = browser.config;
      if (inUse.has(id)) expect.fail(`Instance ${id} has two browsers.`);
      inUse.set(id, browser);
      const port = workerPortOf(browser.config);
      if (port === undefined) continue;
      if (ports.has(port)) expect.fail(`Two instances have port ${port}.`);
      ports.add(port);
    }
    expect(this.#ended).toBeLessThanOrEqual(this.#granted);
  }

  /** Every lease has ended, once. */
  checkAllEnded(): void {
    expect(this.#ended).toBe(this.#granted);
    expect(this.held).toEqual([]);
  }

  get granted(): number {
    return this.#granted;
  }

  #isOver(lease: Lease): boolean {
    return this.#released.has(lease) || lease.revoked.aborted;
  }

  /** A browser that works is closed only when the holder of its instance is done, or has been told. */
  #watch(browser: FakeBrowser): void {
    this.#browsers.add(browser);
    const { disposing } = browser;
    const run = disposing.run.bind(disposing);
    disposing.run = async () => {
      const holder = this.#holders.get(browser.config.id);
      // A browser that was up too late for its start never had a holder.
      const inUse = [...this.#browsers].findLast(({ config }) => config.id === browser.config.id);
      if (holder && inUse === browser && !browser.lost.aborted && !this.#isOver(holder)) {
        // Thrown here it would only be a browser that does not close properly.
        this.#faults.push(`The browser of instance ${browser.config.id} is closed under ${holder.holder}.`);
      }
      await run();
    };
  }
}
