import { expect, onTestFinished } from 'vitest';
import type { ConfigInput, InstanceInput, PoolInput } from '../../src/config/config-input.js';
import { resolveConfig } from '../../src/config/config-input.js';
import { PwpoolError } from '../../src/errors.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { PressureReadings } from '../../src/pressure/pressure-readings.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { FakeDriver } from '../../src/testing/fake-driver.js';

export interface PoolFixture {
  clock: FakeClock;
  driver: FakeDriver;
  pools: BrowserPools;
}

/** How busy the machine is, as the test says; unknown by default. */
export class FakeReadings implements PressureReadings {
  memory: number | undefined;
  cpu: number | undefined;

  memoryUsed(): number | undefined {
    return this.memory;
  }

  cpuUsed(): number | undefined {
    return this.cpu;
  }
}

export interface FixtureOptions {
  readings?: FakeReadings;
  /** By default back-off and age are without their jitter. */
  random?: () => number;
  /** Runs before the pools start. */
  prepare?: (driver: FakeDriver) => void;
  /** Settings of the server. */
  server?: Omit<ConfigInput, 'pools'>;
}

/** Settings of the only pool. */
export type OnePool = Omit<PoolInput, 'isDefault'> & { instances: number };

/**
 * Pools of fake browsers on a clock that stands still, their background work done as far as it can go.
 *
 * At the end of each test the pools are closed, and it is checked that no timer and no browser is left.
 */
export async function poolsOf(
  pools: Readonly<Record<string, PoolInput>>,
  options: FixtureOptions = {},
): Promise<PoolFixture> {
  const clock = new FakeClock();
  const driver = new FakeDriver();
  options.prepare?.(driver);
  const config = resolveConfig({ ...options.server, pools });
  const { readings = new FakeReadings(), random = () => 1 } = options;
  const parts = { clock, driver, readings, random };
  const fixture = { clock, driver, pools: BrowserPools.start(config, parts) };
  onTestFinished(async () => {
    driver.releaseAll();
    // A test in which closing fails sees to that itself.
    await fixture.pools.close().catch(() => {});
    await settle();
    expectNothingLeft(fixture);
  });
  await settle();
  return fixture;
}

/** One default pool, `WEB`. */
export async function poolOf(pool: OnePool, options: FixtureOptions = {}): Promise<PoolFixture> {
  return await poolsOf({ WEB: { ...pool, isDefault: true } }, options);
}

export interface Machine extends PoolFixture {
  /** The next reading has memory used up to so many percent. */
  fill(percent: number): Promise<void>;
}

/** One pool on a machine whose memory the test fills. It probes once a day, unless it says otherwise. */
export async function machineWith(pool: OnePool, percent = 10): Promise<Machine> {
  const readings = new FakeReadings();
  readings.memory = percent;
  const fixture = await poolOf({ healthInterval: 86_400_000, ...pool }, { readings });
  const fill = async (now: number) => {
    readings.memory = now;
    await fixture.clock.advance(1_000);
  };
  return { ...fixture, fill };
}

/** The status of each instance of the default pool. */
export function statuses({ pools }: Pick<PoolFixture, 'pools'>): string[] {
  const { instances } = pools.pool().status();
  return instances.map(({ status }) => status);
}

/** How many instances a caller could have now. */
export function available({ pools }: Pick<PoolFixture, 'pools'>): number {
  return pools.status().summary.available_instances;
}

export function expectNothingLeft({ clock, driver }: Pick<PoolFixture, 'clock' | 'driver'>): void {
  expect(clock.pendingTimers).toBe(0);
  const left = driver.browsers.filter(({ disposed }) => !disposed);
  expect(left.map(({ config }) => config.id)).toEqual([]);
}

/** Overrides that give the instances these aliases, in order of their ids. */
export function aliases(...names: string[]): Record<string, InstanceInput> {
  return Object.fromEntries(names.map((alias, id) => [id, { alias }]));
}

/** The PwpoolError that the promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<PwpoolError> {
  const error = await promise.then(
    (value) => new Error(`resolved to ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof PwpoolError) return error;
  throw error;
}

/** What a function that must throw throws. */
export function errorIn(work: () => unknown): PwpoolError {
  try {
    work();
  } catch (error) {
    if (error instanceof PwpoolError) return error;
    throw error;
  }
  throw new Error('It did not throw.');
}

/** What has become of a promise so far: its error's code, `resolved` or `pending`. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    (error: unknown) => {
      state = error instanceof PwpoolError ? error.code : String(error);
    },
  );
  await settle();
  return state;
}
