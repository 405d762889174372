import { describe, expect, it } from 'vitest';
import type { OperationStep } from '../../src/pool/operation-options.js';
import { settle } from '../../src/testing/fake-clock.js';
import { available, type OnePool, poolOf, stateOf, statuses } from './pool-fixture.js';

const QUIET = { healthInterval: 86_400_000 };

/** A pool whose browsers start one by one from now on, and what an operation on it has told so far. */
async function followed(pool: OnePool) {
  const fixture = await poolOf({ ...QUIET, ...pool });
  fixture.driver.starting.hold();
  const steps: string[] = [];
  const onStep = (step: OperationStep) => {
    const what = step.phase === 'waiting' ? `waiting for ${step.for}` : step.phase;
    steps.push(`${step.instance} ${what}`);
  };
  return { ...fixture, fixture, steps, onStep };
}

const TURN = 'waiting for its turn (RESTART_CONCURRENCY)';

describe('the restart of a whole pool', () => {
  it('replaces one browser after the other, and tells of each [arch-operate-01]', async () => {
    const { driver, pools, steps, onStep, fixture } = await followed({ instances: 3 });
    const restarted = pools.pool().restart({ onStep });
    await settle();
    expect(steps).toEqual(['0 begun', `1 ${TURN}`, `2 ${TURN}`]);
    expect(available(fixture)).toBe(2);
    driver.starting.releaseNext();
    await settle();
    expect(steps.slice(3)).toEqual(['0 done', '1 begun']);
    expect(available(fixture)).toBe(2);
    driver.starting.release();
    await restarted;
    expect(steps.slice(5)).toEqual(['1 done', '2 begun', '2 done']);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'healthy']);
  });

  it('takes as many at a time as RESTART_CONCURRENCY says, and not the last that a caller could have', async () => {
    const { pools, steps, onStep, fixture, driver } = await followed({ instances: 3, restartConcurrency: 3 });
    const restarted = pools.pool().restart({ onStep });
    await settle();
    expect(steps).toEqual(['0 begun', '1 begun', `2 ${TURN}`]);
    const lease = pools.lease();
    expect(await stateOf(lease)).toBe('resolved');
    await (await lease).release();
    driver.starting.release();
    await restarted;
    expect(available(fixture)).toBe(3);
  });

  it('comes to those that are held last, and waits for their holders no longer than its time', async () => {
    const { clock, driver, pools, steps, onStep } = await followed({ instances: 3 });
    driver.starting.release();
    const lease = await pools.lease({ instance: '0', holder: 'session alice' });
    const restarted = pools.pool().restart({ onStep, timeoutMs: 5_000 });
    await settle();
    expect(steps.filter((step) => step.endsWith('done'))).toEqual(['1 done', '2 done']);
    expect(steps.at(-1)).toBe('0 waiting for session alice, for 0 s');
    await clock.advance(5_000);
    await restarted;
    expect(lease.revoked.aborted).toBe(true);
    expect(steps.at(-1)).toBe('0 done');
  });

  it('waits with the only one that callers could have until another is back, or the time is up', async () => {
    const { clock, driver, pools, steps, onStep, fixture } = await followed({ instances: 2 });
    driver.starting.release();
    const lease = await pools.lease({ instance: '0' });
    const restarted = pools.pool().restart({ onStep, timeoutMs: 5_000 });
    await settle();
    expect(steps.filter((step) => step.endsWith('begun'))).toEqual([]);
    await lease.release();
    await restarted;
    expect(steps.filter((step) => step.endsWith('done'))).toEqual(['0 done', '1 done']);

    await pools.lease({ instance: '0' });
    const alone = pools.pool().restart({ instance: '1', onStep });
    await alone;
    expect(statuses(fixture)).toEqual(['healthy', 'healthy']);
    expect(clock.pendingTimers).toBe(1);
  });

  it('leaves out what was drained before its turn', async () => {
    const { driver, pools, steps, onStep, fixture } = await followed({ instances: 3 });
    const restarted = pools.pool().restart({ onStep });
    await settle();
    const drained = pools.pool().drain({ instance: '2' });
    driver.starting.release();
    await Promise.all([restarted, drained]);
    expect(steps).toContain('2 skipped');
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'stopped']);
  });

  it('goes on with the others when one does not start, and tells which', async () => {
    const { driver, pools, steps, onStep } = await followed({ instances: 2 });
    driver.starting.fail(new Error('No memory.'));
    const restarted = pools.pool().restart({ onStep });
    await settle();
    driver.starting.releaseNext();
    await settle();
    driver.starting.succeed();
    driver.starting.release();
    await expect(restarted).rejects.toThrow('No memory.');
    expect(steps).toContain('0 failed');
  });
});

describe('resume', () => {
  it('brings back what is drained, and leaves alone what serves', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 3 });
    const { driver, pools } = fixture;
    await pools.pool().drain({ instance: '1' });
    const steps: string[] = [];
    await pools.pool().resume({ onStep: ({ instance, phase }) => steps.push(`${instance} ${phase}`) });
    expect(steps).toEqual(['0 skipped', '1 begun', '2 skipped', '1 done']);
    expect(statuses(fixture)).toEqual(['healthy', 'healthy', 'healthy']);
    expect(driver.browsers).toHaveLength(4);
  });

  it('of an instance whose drain still waits for its holder leaves it in service', async () => {
    const fixture = await poolOf({ ...QUIET, instances: 1 });
    const lease = await fixture.pools.lease();
    const drained = fixture.pools.pool().drain();
    const resumed = fixture.pools.pool().resume();
    await lease.release();
    await Promise.all([drained, resumed]);
    expect(statuses(fixture)).toEqual(['healthy']);
  });
});

describe('whoever follows an operation', () => {
  it('of a drain hears whom it waits for, and for how long at most', async () => {
    const { pools, clock } = await poolOf({ ...QUIET, instances: 2, instance: { 1: { alias: 'main' } } });
    const lease = await pools.lease({ instance: 'main', holder: 'session alice' });
    await clock.advance(2_000);
    const steps: OperationStep[] = [];
    const drained = pools.pool().drain({ timeoutMs: 9_000, onStep: (step) => steps.push(step) });
    await settle();
    expect(steps).toMatchObject([
      { operation: 'drain', pool: 'WEB', instance: '0', alias: null, phase: 'begun' },
      { instance: '1', alias: 'main', phase: 'waiting', for: 'session alice, for 2 s', timeoutMs: 9_000 },
      { instance: '0', phase: 'done', status: 'stopped' },
    ]);
    await lease.release();
    await drained;
    expect(steps.at(-1)).toMatchObject({ instance: '1', phase: 'done', status: 'stopped' });
  });

  it('of scaling hears what is added and removed', async () => {
    const { pools } = await poolOf({ ...QUIET, instances: 2 });
    const steps: string[] = [];
    const onStep = ({ operation, instance, phase }: OperationStep) =>
      steps.push(`${operation} ${instance} ${phase}`);
    await pools.pool().scale(3, { onStep });
    await pools.pool().scale(1, { onStep });
    expect(steps).toEqual([
      'start 2 begun',
      'removal 1 begun',
      'removal 2 begun',
      'removal 1 done',
      'removal 2 done',
    ]);
  });
});
