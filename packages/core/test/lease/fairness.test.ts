import { expect, it } from 'vitest';
import type { Grant, Wait } from '../../src/lease/grant.js';
import type { LeaseFairness } from '../../src/lease/lease-queue.js';
import { settle } from '../../src/testing/fake-clock.js';
import { queueOf } from './queue-fixture.js';
import { randomOf } from './random.js';

/** A queue whose entries are all held; who is served then is noted. */
function busyQueue(keys: readonly string[], fairness?: LeaseFairness) {
  const { queue, acquire } = queueOf([], fairness ? { fairness } : {});
  for (const key of keys) queue.add(key, { reserve: true });
  const served: string[] = [];
  const held: Grant[] = [];
  const waits = new Map<string, Wait>();
  const wait = (name: string, { key, signal }: { key?: string; signal?: AbortSignal } = {}) => {
    const [principal = ''] = name.split(/\d/);
    const caller = { name: principal, pools: 'all', limits: {} } as const;
    acquire({ key, signal, principal: caller, onWait: (each) => void waits.set(name, each) }).then(
      (grant) => {
        served.push(name);
        held.push(grant);
      },
      () => {},
    );
  };
  /** Lets an entry come free so many times, and tells who had it. */
  const serve = async (times: number, key = keys[0] ?? '') => {
    served.length = 0;
    for (let time = 0; time < times; time++) {
      const holder = held.find((grant) => !grant.released && grant.key === key);
      if (holder) holder.release();
      else queue.restore(key);
      await settle();
    }
    return served.join(' ');
  };
  const position = (name: string) => waits.get(name)?.position();
  return { queue, wait, serve, position };
}

it('serves principals by turns, however many wait for one of them [arch-fairness-01]', async () => {
  const { wait, serve, position } = busyQueue(['x']);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) wait(name);
  expect(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'].map(position)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await serve(2)).toBe('a1 b1');
  wait('d1');
  expect(await serve(6)).toBe('c1 a2 b2 d1 a3 a4');
});

it('serves as they came with one principal, and with arrival [arch-fairness-02]', async () => {
  const one = busyQueue(['x', 'y']);
  for (const [name, key] of [['a1', 'x'], ['a2'], ['a3', 'x'], ['a4']] as const)
    one.wait(name, key ? { key } : {});
  expect(await one.serve(4)).toBe('a1 a2 a3 a4');
  const arrival = busyQueue(['x'], 'arrival');
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1']) arrival.wait(name);
  expect(arrival.position('c1')).toBe(5);
  expect(await arrival.serve(6)).toBe('a1 a2 a3 b1 a4 c1');
});

it('gives no principal more turns for waiting at several instances [arch-fairness-01]', async () => {
  const { wait, serve } = busyQueue(['x', 'y']);
  for (const name of ['a1', 'a2', 'a3']) wait(name, { key: 'x' });
  for (const name of ['a4', 'a5', 'a6']) wait(name);
  for (const name of ['b1', 'b2', 'b3']) wait(name);
  expect(await serve(6, 'x')).toBe('a1 b1 a2 b2 a3 b3');
});

it('gives nobody a turn more for leaving the line and coming again [arch-fairness-01]', async () => {
  const { wait, serve } = busyQueue(['x']);
  for (const name of ['b1', 'b2', 'b3']) wait(name);
  wait('a1');
  expect(await serve(2)).toBe('b1 a1');
  wait('a2');
  expect(await serve(1)).toBe('b2');
  const gone = new AbortController();
  wait('a3', { signal: gone.signal });
  gone.abort();
  expect(await serve(2)).toBe('a2 b3');
});

it('lets nobody be served twice while another waits for the same entry (random)', async () => {
  const random = randomOf(44);
  const { wait, serve } = busyQueue(['x']);
  const waiting: Record<string, number> = { a: 0, b: 0, c: 0 };
  /** Of each that waits, who was served since. */
  const since = new Map<string, string[]>();
  let number = 0;
  for (let step = 0; step < 3000; step++) {
    if (random(2) === 0) {
      const name = ['a', 'a', 'a', 'a', 'b', 'c'][random(6)] ?? 'a';
      wait(`${name}${number++}`);
      if (waiting[name] === 0) since.set(name, []);
      waiting[name] = (waiting[name] ?? 0) + 1;
      continue;
    }
    if (Object.values(waiting).every((count) => count === 0)) continue;
    const name = (await serve(1)).slice(0, 1);
    for (const [other, served] of since) if (other !== name) served.push(name);
    for (const served of since.values()) expect(new Set(served).size).toBe(served.length);
    waiting[name] = (waiting[name] ?? 0) - 1;
    if (waiting[name] === 0) since.delete(name);
    else since.set(name, []);
  }
});
