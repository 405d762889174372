import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PwpoolError } from '../../src/errors.js';
import { parseSites } from '../../src/sites/site-file.js';
import { SiteLimits, type Visit } from '../../src/sites/site-limits.js';
import type { TurnOptions } from '../../src/sites/site-line.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';

const SITES = `
slow: { hosts: [slow.example], min_interval: 2 }
single: { hosts: [single.example], concurrency: 1 }
double: { hosts: [double.example], concurrency: 2 }
both: { hosts: [both.example], min_interval: 2, concurrency: 1 }
shop: { hosts: [example.org], concurrency: 1 }
api: { hosts: [api.example.org], concurrency: 1 }
local: { hosts: [localhost, "127.0.0.1", "[::1]"], concurrency: 1 }
`;

let clock: FakeClock;
let limits: SiteLimits;
let startedAt: number;
/** `name at seconds since the beginning`, in the order of their starts. */
let starts: string[];

beforeEach(() => {
  clock = new FakeClock();
  startedAt = clock.now();
  starts = [];
  limits = new SiteLimits(parseSites(SITES, 'sites.yaml'), { clock });
});

afterEach(() => expect(clock.pendingTimers).toBe(0));

async function visit(name: string, url: string, options: TurnOptions = {}): Promise<Visit> {
  const entered = await limits.enter(url, options);
  starts.push(`${name} at ${(clock.now() - startedAt) / 1000}`);
  return entered;
}

describe('min_interval', () => {
  it('keeps the starts of requests to a site apart, in order of arrival [004-site-01]', async () => {
    const visits = ['a', 'b', 'c'].map((name) => visit(name, 'https://slow.example/'));
    await clock.advance(1999);
    expect(starts).toEqual(['a at 0']);
    await clock.advance(1);
    expect(starts).toEqual(['a at 0', 'b at 2']);
    await clock.advance(10_000);
    expect(starts).toEqual(['a at 0', 'b at 2', 'c at 4']);
    for (const each of await Promise.all(visits)) each[Symbol.dispose]();
  });

  it('counts from start to start, however long the request takes', async () => {
    const first = await visit('a', 'https://slow.example/');
    await clock.advance(1500);
    first[Symbol.dispose]();
    const second = visit('b', 'https://slow.example/');
    await clock.advance(500);
    (await second)[Symbol.dispose]();
    await clock.advance(60_000);
    (await visit('c', 'https://slow.example/'))[Symbol.dispose]();
    expect(starts).toEqual(['a at 0', 'b at 2', 'c at 62']);
  });

  it('a caller that leaves takes the timer with it and costs those behind it nothing', async () => {
    using _first = await visit('a', 'https://slow.example/');
    const leaving = new AbortController();
    const left = visit('b', 'https://slow.example/', { signal: leaving.signal });
    await settle();
    expect(clock.pendingTimers).toBe(2);
    leaving.abort();
    await expect(left).rejects.toMatchObject({
      code: 'CANCELLED',
      message: expect.stringContaining("'slow'"),
    });
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    const next = visit('c', 'https://slow.example/');
    await clock.advance(1000);
    using _second = await next;
    expect(starts).toEqual(['a at 0', 'c at 2']);
  });
});

describe('concurrency', () => {
  it('lets so many requests to a site run at once and no more, in order of arrival [004-site-02]', async () => {
    const visits = ['a', 'b', 'c', 'd'].map((name) => visit(name, 'https://double.example/'));
    await settle();
    expect(starts).toEqual(['a at 0', 'b at 0']);
    await clock.advance(5000);
    (await visits[1])?.[Symbol.dispose]();
    await settle();
    expect(starts).toEqual(['a at 0', 'b at 0', 'c at 5']);
    (await visits[1])?.[Symbol.dispose]();
    await settle();
    expect(starts).toHaveLength(3);
    (await visits[0])?.[Symbol.dispose]();
    for (const each of await Promise.all(visits)) each[Symbol.dispose]();
    expect(starts.at(-1)).toBe('d at 5');
  });

  it('and min_interval hold both: the later of the two decides [004-site-01, 004-site-02]', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map((name) => visit(name, 'https://both.example/'));
    await clock.advance(5000);
    expect(starts).toEqual(['a at 0']);
    (await first)?.[Symbol.dispose]();
    await settle();
    (await second)?.[Symbol.dispose]();
    await clock.advance(1999);
    expect(starts).toEqual(['a at 0', 'b at 5']);
    await clock.advance(1);
    (await third)?.[Symbol.dispose]();
    expect(starts).toEqual(['a at 0', 'b at 5', 'c at 7']);
  });

  it('the turn ends also when the work throws', async () => {
    const work = async () => {
      using _visit = await visit('a', 'https://single.example/');
      throw new Error('of the work');
    };
    await expect(work()).rejects.toThrow('of the work');
    using _next = await visit('b', 'https://single.example/');
    expect(starts).toEqual(['a at 0', 'b at 0']);
  });
});

describe('sites', () => {
  it('do not wait for each other, and what is in no site does not wait at all [004-site-03]', async () => {
    using _slow = await visit('slow', 'https://slow.example/');
    using _single = await visit('single', 'https://single.example/');
    const leaving = new AbortController();
    const { signal } = leaving;
    const waiting = ['slow', 'single'].map((name) => visit(name, `https://${name}.example/`, { signal }));
    using _both = await visit('both', 'https://both.example/');
    for (const url of [
      'https://elsewhere.example/',
      'about:blank',
      'data:text/html,single.example',
      'no url',
    ]) {
      using first = await visit('free', url);
      using _second = await visit('free', url);
      expect(first.site).toBeUndefined();
    }
    expect(starts).toHaveLength(3 + 8);
    leaving.abort();
    await Promise.allSettled(waiting);
  });

  it('are told by the host of an address: itself and its subdomains, the narrowest site first', async () => {
    const of = async (url: string) => {
      using entered = await limits.enter(url);
      return entered.site;
    };
    expect(await of('https://example.org/')).toBe('shop');
    expect(await of('http://WWW.Example.Org.:8080/api.example.org')).toBe('shop');
    expect(await of('example.org/without/scheme')).toBe('shop');
    expect(await of('https://user:api.example.org@api.example.org/')).toBe('api');
    expect(await of('https://v2.api.example.org')).toBe('api');
    expect(await of('https://notexample.org/')).toBeUndefined();
    expect(await of('https://example.org.evil.example/')).toBeUndefined();
    expect(await of('localhost:3000')).toBe('local');
    expect(await of('http://127.1/')).toBe('local');
    expect(await of('http://[0:0::1]:80/')).toBe('local');
  });
});

describe('a wait', () => {
  it('that reaches its deadline tells the site, its limits and how many wait', async () => {
    using _first = await visit('a', 'https://both.example/');
    const late = visit('b', 'https://both.example/', { timeoutMs: 1000 }).catch(
      (error: PwpoolError) => error,
    );
    const patient = visit('c', 'https://both.example/', { timeoutMs: 9000 }).catch(
      (error: PwpoolError) => error,
    );
    await clock.advance(1000);
    expect(await late).toMatchObject({
      code: 'CALL_TIMEOUT',
      message:
        "Waited 1000 ms for a turn at site 'both' (min_interval 2 s, concurrency 1): 1 running, 1 more waiting.",
      details: { site: 'both', minIntervalMs: 2000, concurrency: 1, running: 1, waiting: 1 },
    });
    await clock.advance(8000);
    expect(await patient).toMatchObject({ code: 'CALL_TIMEOUT' });
  });

  it('has a deadline also when none is given, and refuses one that is no time', async () => {
    using _first = await visit('a', 'https://single.example/');
    const waiting = visit('b', 'https://single.example/').catch((error: PwpoolError) => error);
    await clock.advance(60_000);
    expect(await waiting).toMatchObject({ code: 'CALL_TIMEOUT' });
    await expect(visit('c', 'https://single.example/', { timeoutMs: Number.NaN })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('does not begin with a signal that has aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(visit('a', 'https://slow.example/', { signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    using _next = await visit('b', 'https://slow.example/');
    expect(starts).toEqual(['b at 0']);
  });
});

describe('admission', () => {
  it('keeps callers without a browser outside, and does not stand in the way of those who have one', async () => {
    using admission = await limits.admit('https://single.example/');
    let admitted = 0;
    const next = limits.admit('https://single.example/').then((each) => {
      admitted += 1;
      return each;
    });
    // The one that was admitted waits for a browser; who has one goes ahead.
    const ahead = await visit('with a browser', 'https://single.example/');
    const entering = visit('admitted', 'https://single.example/');
    await settle();
    expect([starts.length, admitted]).toEqual([1, 0]);
    ahead[Symbol.dispose]();
    (await entering)[Symbol.dispose]();
    expect([starts.length, admitted]).toEqual([2, 0]);
    admission[Symbol.dispose]();
    using _next = await next;
  });
});

it('holds both limits and the order under a load of requests that last, leave and fail at random', async () => {
  let seed = 20_251_225;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const line = new SiteLimits([{ name: 'x', hosts: ['x.example'], minIntervalMs: 70, concurrency: 3 }], {
    clock,
  });
  const begun: { arrival: number; at: number }[] = [];
  let running = 0;
  let mostRunning = 0;
  let left = 0;
  const request = async (arrival: number, lastsMs: number, signal: AbortSignal) => {
    try {
      using _visit = await line.enter('x.example', { signal, timeoutMs: 2000 });
      begun.push({ arrival, at: clock.now() });
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await new Promise<void>((resolve) => clock.after(lastsMs, resolve));
      running -= 1;
    } catch {
      left += 1;
    }
  };
  const requests: Promise<void>[] = [];
  for (let arrival = 0; arrival < 300; arrival++) {
    const leaving = new AbortController();
    requests.push(request(arrival, random(400), leaving.signal));
    if (random(5) === 0) clock.after(random(500), () => leaving.abort());
    await clock.advance(random(120));
  }
  await clock.advance(10_000);
  await Promise.all(requests);
  expect(begun.length + left).toBe(300);
  expect([begun.length > 100, left > 20, mostRunning]).toEqual([true, true, 3]);
  const gaps = begun.slice(1).map(({ at }, index) => at - (begun[index]?.at ?? 0));
  expect(Math.min(...gaps)).toBe(70);
  expect(begun.map(({ arrival }) => arrival)).toEqual(
    begun.map(({ arrival }) => arrival).sort((a, b) => a - b),
  );
});

it('a clock that is set back keeps a site waiting for one interval at most', async () => {
  let now = 10_000_000;
  const moved = new SiteLimits(parseSites(SITES, 'sites.yaml'), {
    clock: { now: () => now, after: (ms, callback) => clock.after(ms, callback) },
  });
  using _first = await moved.enter('https://slow.example/');
  now -= 3_600_000;
  const second = moved.enter('https://slow.example/');
  now += 2000;
  await clock.advance(2000);
  using visited = await second;
  expect(visited.site).toBe('slow');
});
