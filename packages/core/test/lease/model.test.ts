import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { Grant, Wait } from '../../src/lease/grant.js';
import type { LeaseFairness, LeaseStrategy } from '../../src/lease/lease-queue.js';
import { settle } from '../../src/testing/fake-clock.js';
import { NaiveQueue } from './naive-queue.js';
import { queueOf } from './queue-fixture.js';
import { randomOf } from './random.js';

const OPERATIONS = 3000;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
const STRATEGIES: readonly LeaseStrategy[] = ['fifo', 'lifo', 'round-robin', 'least-used'];
/** How many signals, and how many grants that are over, stay in play. */
const RECENT = 8;
const FAILED = new PwpoolError('NO_HEALTHY_INSTANCES', 'All instances failed.');

/** Drives the queue and the model by the same random operations. */
function run(seed: number, strategy: LeaseStrategy, fairness: LeaseFairness) {
  const random = randomOf(seed);
  const { clock, queue } = queueOf([], { strategy, fairness });
  const model = new NaiveQueue(strategy);
  const outcomes = new Map<number, string>();
  const grants = new Map<number, Grant>();
  /** What each waiter, by its id, can be told of its place. */
  const waits = new Map<number, Wait>();
  let controllers = [new AbortController()];
  const signals = new Set<AbortSignal>();
  let ids = 0;

  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const chance = (percent: number) => random(100) < percent;

  const acquire = () => {
    const id = ids++;
    const key = chance(40) ? pick(KEYS) : undefined;
    const timeoutMs = 1 + random(60);
    if (chance(50)) controllers = [new AbortController(), ...controllers].slice(0, RECENT);
    const { signal } = pick(controllers);
    signals.add(signal);
    // The first one has most of them.
    const principal = pick(['ada', 'ada', 'ada', 'ben', 'eva']);
    const due = clock.now() + timeoutMs;
    model.acquire({ id, key, principal: fairness === 'principal' ? principal : 'all', due, signal });
    const caller = { name: principal, pools: 'all', limits: {} } as const;
    const onWait = (wait: Wait) => void waits.set(id, wait);
    queue.acquire({ key, timeoutMs, signal, principal: caller, onWait }).then(
      (grant) => {
        outcomes.set(id, grant.key);
        grants.set(id, grant);
      },
      (error: PwpoolError) => outcomes.set(id, error.code),
    );
  };

  const release = () => {
    // Mostly a grant that may be valid still, sometimes one of long ago.
    const valid = [...model.holders.values()];
    const id = valid.length > 0 && chance(80) ? pick(valid) : pick([...grants.keys(), -1]);
    const reserve = chance(20);
    grants.get(id)?.release({ reserve });
    model.release(id, reserve);
  };

  const changeEntry = () => {
    const key = pick(KEYS);
    const state = model.states.get(key);
    if (state === undefined) {
      const reserve = chance(20);
      const cold = chance(30);
      queue.add(key, { reserve, cold });
      model.add(key, reserve, cold);
    } else if (chance(12)) {
      queue.remove(key);
      model.remove(key);
    } else if (chance(30)) {
      expect(queue.revoke(key)).toBe(state === 'leased');
      model.takeOut(key);
    } else if (chance(40)) {
      expect(queue.reserve(key)).toBe(state === 'idle');
      if (state === 'idle') model.takeOut(key);
    } else {
      const cold = pick([undefined, true, false]);
      expect(queue.restore(key, cold === undefined ? {} : { cold })).toBe(state === 'reserved');
      if (state === 'reserved') model.restore(key, cold);
    }
  };

  const abort = () => {
    const controller = pick(controllers);
    controller.abort();
    model.rejectIf((waiter) => waiter.signal === controller.signal, 'CANCELLED');
  };

  const passTime = async () => {
    await clock.advance(random(12));
    model.rejectIf((waiter) => waiter.due <= clock.now(), 'LEASE_TIMEOUT');
  };

  const rejectWaiters = () => {
    const key = pick([undefined, ...model.states.keys()]);
    queue.rejectWaiters(FAILED, key);
    model.rejectIf((waiter) => key === undefined || waiter.key === key, FAILED.code);
  };

  const configure = () => {
    const dice = random(10);
    if (dice < 6) {
      const hold = chance(50);
      queue.holdCold(hold);
      model.holdCold(hold);
    } else if (dice < 9) {
      const limit = pick([undefined, undefined, 0, 2, 6]);
      queue.setLimit(limit);
      model.limit = limit ?? Number.POSITIVE_INFINITY;
    } else {
      model.strategy = chance(50) ? strategy : pick(STRATEGIES);
      queue.setStrategy(model.strategy);
    }
  };

  const step = async () => {
    const dice = random(100);
    if (dice < 36) acquire();
    else if (dice < 68) release();
    else if (dice < 85) changeEntry();
    else if (dice < 89) abort();
    else if (dice < 95) await passTime();
    else if (dice < 99) configure();
    else rejectWaiters();
  };

  const compare = () => {
    const valid = [...grants].filter(([, grant]) => !grant.released);
    const awaited = new Set(model.waiters.map((waiter) => waiter.signal));
    const listeners = [...signals].map((signal) => getEventListeners(signal, 'abort').length);
    expect({
      outcomes,
      counts: queue.counts(),
      states: KEYS.map((key) => queue.stateOf(key)),
      holders: valid.map(([id, grant]) => `${id} holds ${grant.key}`).sort(),
      timers: clock.pendingTimers,
      listeners,
      positions: model.waiters.map(({ id }) => waits.get(id)?.position()),
    }).toEqual({
      outcomes: model.outcomes,
      counts: model.counts(),
      states: KEYS.map((key) => model.states.get(key)),
      holders: [...model.holders].map(([key, id]) => `${id} holds ${key}`).sort(),
      timers: model.waiters.length,
      listeners: [...signals].map((signal) => (awaited.has(signal) ? 1 : 0)),
      positions: model.waiters.map((waiter) => model.order(waiter.key).indexOf(waiter)),
    });
    forget(awaited);
  };

  /** Drops what was compared and can change no more, so that the run stays quick. */
  const forget = (awaited: ReadonlySet<AbortSignal>) => {
    outcomes.clear();
    model.outcomes.clear();
    for (const signal of signals) if (!awaited.has(signal)) signals.delete(signal);
    const over = [...grants].filter(([, grant]) => grant.released);
    for (const [id] of over.slice(0, -RECENT)) grants.delete(id);
  };

  return { step, compare };
}

const FAIRNESSES: readonly LeaseFairness[] = ['principal', 'arrival'];
const runs = [11, 22, 33].flatMap((seed, index) =>
  STRATEGIES.map((strategy, nth) => ({
    seed,
    strategy,
    fairness: FAIRNESSES[(index + nth) % 2] ?? 'principal',
  })),
);

it.each(runs)(
  'does what a naive queue does (seed $seed, $strategy, $fairness) [arch-lease-01, arch-lease-02, arch-lease-08, arch-lease-09, arch-fairness-01]',
  async ({ seed, strategy, fairness }) => {
    const { step, compare } = run(seed, strategy, fairness);
    for (let operation = 0; operation < OPERATIONS; operation++) {
      await step();
      await settle();
      compare();
    }
  },
);
