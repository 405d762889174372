import { expect, it } from 'vitest';
import type { InstanceConfig } from '../../src/config/model.js';
import type { Lease } from '../../src/pool/lease.js';
import { settle } from '../../src/testing/fake-clock.js';
import type { FakeStep } from '../../src/testing/fake-driver.js';
import { randomOf } from '../lease/random.js';
import { ChaosLedger } from './chaos-ledger.js';
import { expectNothingLeft, FakeReadings, type OnePool, poolOf } from './pool-fixture.js';

const STEPS = 2_500;
const MOST_INSTANCES = 5;
const STRATEGIES = ['fifo', 'lifo', 'round-robin', 'least-used'] as const;
const BROKEN = new Error('The fake was told to fail.');

const SETTINGS = {
  instances: 3,
  startConcurrency: 2,
  startTimeout: 3_000,
  leaseTimeout: 5_000,
  leaseMax: 8_000,
  leakThreshold: 4_000,
  timeout: 2_000,
  healthInterval: 1_000,
  healthTimeout: 500,
  maxRestarts: 6,
  maxUses: 7,
  maxAge: 60_000,
  idleTimeout: 3_000,
  minIdle: 1,
  queueLimit: 12,
} satisfies OnePool;

/** Everything that can happen to a pool, at random, with a ledger that is kept beside it. */
async function chaosOf(seed: number, lazy: boolean) {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const chance = (percent: number) => random(100) < percent;
  const readings = new FakeReadings();
  readings.memory = 10;
  const fixture = await poolOf({ ...SETTINGS, lazy }, { readings, random: () => random(1_000) / 1_000 });
  const { clock, driver, pools } = fixture;
  const pool = pools.pool();
  const ledger = new ChaosLedger(fixture);
  /** Whatever has been asked for and is not over. */
  const pending = new Set<Promise<unknown>>();
  const outcomes = new Map<string, number>();
  let holders = 0;

  const follow = (name: string, work: Promise<unknown>) => {
    const note = (outcome: string) => {
      pending.delete(followed);
      outcomes.set(`${name} ${outcome}`, (outcomes.get(`${name} ${outcome}`) ?? 0) + 1);
    };
    const codeOf = (error: unknown) => (error === BROKEN ? 'BROKEN' : (error as { code?: string }).code);
    const followed = work.then(
      () => note('done'),
      (error) => note(codeOf(error) ?? String(error)),
    );
    pending.add(followed);
  };

  const anyInstance = () => (chance(50) ? undefined : String(random(MOST_INSTANCES)));

  const lease = () => {
    const controller = new AbortController();
    const asked = pools
      .lease({
        instance: anyInstance(),
        keep: pick([true, false]),
        timeoutMs: 1 + random(6_000),
        signal: controller.signal,
        holder: `holder ${holders++}`,
      })
      .then((granted) => ledger.take(granted));
    follow('lease', asked);
    if (chance(15)) clock.after(random(2_000), () => controller.abort());
  };

  const release = () => {
    const { held } = ledger;
    if (held.length > 0) follow('release', ledger.release(pick(held)));
  };

  const call = () => {
    const { held } = ledger;
    if (held.length === 0) return;
    const used: Lease = pick(held);
    const reached = driver.calls.length;
    follow('call', used.callTool('browser_click'));
    // It reached the browser that its lease is about, and no other.
    expect(driver.calls.slice(reached).map(({ instance }) => instance)).toEqual([used.instance]);
  };

  const running = () => driver.browsers.slice(-10).filter(({ disposed, lost }) => !disposed && !lost.aborted);

  const upset = (step: FakeStep) => {
    // What fails to close is left behind, and the end of the test could not tell it from what was forgotten.
    if (chance(50) || running().some(({ disposing }) => disposing === step)) step.hold();
    else step.fail(BROKEN);
  };

  const calm = (step: FakeStep) => {
    step.succeed();
    step.release();
  };

  const stepsOf = () => [
    driver.starting,
    ...running().flatMap(({ calling, inspecting, pinging, resetting, unblocking, disposing }) => [
      calling,
      inspecting,
      pinging,
      resetting,
      unblocking,
      disposing,
    ]),
  ];

  const operate = () => {
    const options = { instance: anyInstance(), timeoutMs: random(3_000) };
    const dice = random(10);
    if (dice < 5) follow('restart', pool.restart(options));
    else if (dice < 7) follow('drain', pool.drain(options));
    else if (dice < 8) follow('scale', pool.scale(1 + random(MOST_INSTANCES), options));
    else follow('reconfigure', pool.reconfigure(changed(), options));
  };

  const changed = () => {
    const { config } = pool;
    // Each takes the port of its neighbour.
    const cdpPortBase = 9_222 + random(2);
    const moved = <Config extends InstanceConfig>(instance: Config): Config => ({
      ...instance,
      settings: { ...instance.settings, cdpPortBase },
    });
    return {
      ...config,
      settings: {
        ...config.settings,
        strategy: pick(STRATEGIES),
        minIdle: random(3),
        startConcurrency: 1 + random(3),
        healthInterval: 500 + random(1_000),
        idleTimeout: pick([0, 1_000, 5_000]),
        lazy: chance(50),
        autoRestart: chance(80),
        maxRestarts: random(8),
      },
      template: moved(config.template),
      instances: config.instances.map((instance) =>
        moved(chance(70) ? instance : { ...instance, alias: pick([null, `alias ${random(1_000_000)}`]) }),
      ),
    };
  };

  const step = async () => {
    const dice = random(100);
    if (dice < 28) lease();
    else if (dice < 48) release();
    else if (dice < 60) call();
    else if (dice < 64) {
      const browsers = running();
      if (browsers.length > 0) pick(browsers).crash();
    } else if (dice < 68) upset(pick(stepsOf()));
    else if (dice < 78) for (const each of stepsOf()) calm(each);
    else if (dice < 81) operate();
    else if (dice < 83) readings.memory = chance(30) ? 99 : 10;
    else if (dice < 85) follow('restart', pool.restart());
    else await clock.advance(random(dice < 98 ? 200 : 5_000));
    if (chance(30)) return;
    await settle();
    ledger.check();
    expect(pool.status().available_instances).toBeLessThanOrEqual(pool.status().total_instances);
  };

  /** Nothing is in anybody's way any more. */
  const calmDown = async () => {
    readings.memory = 10;
    for (const browser of driver.browsers) browser.releaseAll();
    for (const each of stepsOf()) calm(each);
    for (const held of ledger.held) follow('release', ledger.release(held));
    // Longer than any deadline there is.
    for (let second = 0; second < 120; second++) {
      await clock.advance(1_000);
      for (const each of stepsOf()) calm(each);
      for (const held of ledger.held) follow('release', ledger.release(held));
    }
  };

  return { ...fixture, pool, ledger, pending, outcomes, step, calmDown };
}

const runs = [1, 22, 333, 4_444].flatMap((seed) => [false, true].map((lazy) => ({ seed, lazy })));

it.each(runs)(
  'whatever happens, an instance has one holder at most, every wait ends, and nothing is lost (seed $seed, lazy $lazy) [arch-lease-01, arch-lease-09]',
  async ({ seed, lazy }) => {
    const chaos = await chaosOf(seed, lazy);
    const { clock, driver, ledger, outcomes, pending, pool, pools } = chaos;
    for (let each = 0; each < STEPS; each++) await chaos.step();

    await chaos.calmDown();
    expect(pending.size).toBe(0);
    ledger.checkAllEnded();
    expect(ledger.granted).toBeGreaterThan(50);

    // Whatever became of them, all instances can be brought back into service, and leased.
    await pool.restart();
    await clock.advance(0);
    const ids = pool.status().instances.map(({ id }) => id);
    const leases = await Promise.all(ids.map((instance) => pools.lease({ instance })));
    expect(leases.map(({ config }) => config)).toEqual(pool.config.instances);
    expect(new Set(leases.map(({ instance }) => instance)).size).toBe(ids.length);
    for (const lease of leases) await lease.callTool('browser_click');

    await pools.close();
    await settle();
    expectNothingLeft({ clock, driver });
    // Only errors that somebody can act on.
    expect([...outcomes.keys()].filter((outcome) => / (?!done|BROKEN|[A-Z_]+$)/.test(outcome))).toEqual([]);
  },
);
