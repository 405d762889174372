import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PwpoolError } from '../../src/errors.js';
import { SiteLimits } from '../../src/sites/site-limits.js';
import { TabPool } from '../../src/tabs/tab-pool.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { FakeLease, fakeOf } from './tab-fixture.js';

let clock: FakeClock;
let lease: FakeLease;

beforeEach(() => {
  clock = new FakeClock();
  lease = new FakeLease();
});

afterEach(() => expect(clock.pendingTimers).toBe(0));

const tabsOf = (maxTabs?: number) => new TabPool(lease, { clock, maxTabs });

/** Operations that run until they are let go, and what runs at a time. */
class Operations {
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();

  run(tabs: TabPool, name: string): Promise<void> {
    return tabs.use(async (page) => {
      this.running.push(`${name} on ${fakeOf(page).number}`);
      await new Promise<void>((resolve) => this.#ends.set(name, resolve));
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settle();
  }
}

describe('a tab', () => {
  it('is lent to one operation at a time, by default one in all, in order of arrival [004-tab-01, 004-tab-02]', async () => {
    await using tabs = tabsOf();
    const operations = new Operations();
    const all = ['a', 'b', 'c'].map((name) => operations.run(tabs, name));
    await settle();
    expect(operations.running).toEqual(['a on 1']);
    await operations.end('a');
    expect(operations.running).toEqual(['a on 1', 'b on 2']);
    expect(lease.open).toEqual([2]);
    await operations.end('b');
    await operations.end('c');
    await Promise.all(all);
    expect(lease.open).toEqual([]);
  });

  it('goes back also when the operation throws [004-tab-03]', async () => {
    await using tabs = tabsOf();
    const work = tabs.use(() => Promise.reject(new Error('of the operation')));
    await expect(work).rejects.toThrow('of the operation');
    await expect(tabs.use(async () => 'next')).resolves.toBe('next');
    expect(lease.open).toEqual([]);
  });

  it('more of them run at once when the maximum is raised, and fewer when it is lowered [004-tab-04, 004-tab-02]', async () => {
    await using tabs = tabsOf();
    const operations = new Operations();
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => operations.run(tabs, name));
    await settle();
    tabs.setMaxTabs(3);
    await settle();
    expect(operations.running).toEqual(['a on 1', 'b on 2', 'c on 3']);
    tabs.setMaxTabs(1);
    await operations.end('a');
    await operations.end('c');
    expect(operations.running).toHaveLength(3);
    await operations.end('b');
    expect(operations.running.at(-1)).toBe('d on 4');
    await operations.end('d');
    await operations.end('e');
    await Promise.all(all);
    expect(operations.running).toHaveLength(5);
  });

  it('lowered and raised again in use, the maximum is what it says', async () => {
    await using tabs = tabsOf(2);
    const operations = new Operations();
    const all = ['a', 'b', 'c', 'd'].map((name) => operations.run(tabs, name));
    await settle();
    tabs.setMaxTabs(1);
    tabs.setMaxTabs(2);
    await settle();
    expect(operations.running).toHaveLength(2);
    for (const name of ['a', 'b', 'c', 'd']) await operations.end(name);
    await Promise.all(all);
  });

  it('given back twice frees its place once', async () => {
    await using tabs = tabsOf();
    const first = await tabs.borrow();
    await first.giveBack();
    const second = await tabs.borrow();
    await first.giveBack();
    const third = tabs.borrow();
    await settle();
    expect(lease.pages).toHaveLength(2);
    await second.giveBack();
    await (await third).giveBack();
  });

  it('takes what its page opened by itself with it, also what comes late, and leaves pages of others alone', async () => {
    await using tabs = tabsOf();
    const other = lease.addPage();
    const tab = await tabs.borrow();
    const popup = lease.addPage();
    const nested = lease.addPage();
    fakeOf(tab.page).emit('popup', popup);
    popup.emit('popup', nested);
    await tab.giveBack();
    const late = lease.addPage();
    fakeOf(tab.page).emit('popup', late);
    await settle();
    expect(lease.open).toEqual([other.number]);
  });

  it('that was closed by its user goes back', async () => {
    await using tabs = tabsOf();
    await tabs.use((page) => page.close());
    await tabs.use(async () => {});
  });

  it('that cannot be closed keeps its place for 5 s, and is never lent again', async () => {
    await using tabs = tabsOf();
    const tab = await tabs.borrow();
    lease.closing.hold();
    const back = tab.giveBack();
    const next = tabs.borrow();
    await clock.advance(4999);
    expect(lease.pages).toHaveLength(1);
    await clock.advance(1);
    await back;
    expect(fakeOf((await next).page).number).toBe(2);
    lease.closing.release();
  });

  it('whose closing fails goes back', async () => {
    await using tabs = tabsOf();
    lease.closing.fail(new Error('Target crashed'));
    await tabs.use(async () => {});
    await tabs.use(async () => {});
    expect(lease.pages).toHaveLength(2);
  });
});

describe('a wait for a tab', () => {
  it('has a deadline, and tells how many are lent and wait', async () => {
    await using tabs = tabsOf(2);
    await using _one = await tabs.borrow();
    await using _two = await tabs.borrow();
    const late = tabs.borrow({ timeoutMs: 1000 }).catch((error: PwpoolError) => error);
    const later = tabs.borrow().catch((error: PwpoolError) => error);
    await clock.advance(1000);
    expect(await late).toMatchObject({
      code: 'LEASE_TIMEOUT',
      message: 'Waited 1000 ms for a tab: 2 of 2 lent, 1 more waiting.',
      details: { maxTabs: 2, lent: 2, waiting: 1 },
    });
    await clock.advance(59_000);
    expect(await later).toMatchObject({ code: 'LEASE_TIMEOUT' });
  });

  it('ends with its signal', async () => {
    await using tabs = tabsOf();
    const tab = await tabs.borrow();
    const leaving = new AbortController();
    const waiting = tabs.borrow({ signal: leaving.signal });
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({
      code: 'CANCELLED',
      message: expect.stringContaining('tab'),
    });
    await tab.giveBack();
    await tabs.use(async () => {});
  });
});

describe('opening', () => {
  it('that takes too long or fails is told, and its place is free again', async () => {
    await using tabs = tabsOf();
    lease.opening.hold();
    const stuck = tabs.borrow().catch((error: PwpoolError) => error);
    await clock.advance(10_000);
    expect(await stuck).toMatchObject({ code: 'BROWSER_NOT_READY' });
    const next = tabs.borrow().catch((error: PwpoolError) => error);
    lease.opening.fail(new Error('no memory'));
    lease.opening.release();
    expect(await next).toMatchObject({ code: 'BROWSER_NOT_READY', cause: expect.any(Error) });
    lease.opening.succeed();
    await tabs.use(async () => {});
    expect(lease.open).toEqual([]);
  });

  it('that comes after its borrower has left: the tab is closed, and nobody gets its place before', async () => {
    await using tabs = tabsOf();
    lease.opening.hold();
    const leaving = new AbortController();
    const left = tabs.borrow({ signal: leaving.signal });
    await settle();
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
    const next = tabs.borrow();
    await settle();
    expect(lease.opening.count).toBe(1);
    lease.opening.release();
    await using tab = await next;
    expect(lease.open).toEqual([fakeOf(tab.page).number]);
  });
});

describe('the end', () => {
  it('of the pool closes its tabs, refuses those who wait, and leaves pages of others alone', async () => {
    const tabs = tabsOf();
    const other = lease.addPage();
    const tab = await tabs.borrow();
    const waiting = tabs.borrow();
    const closing = tabs[Symbol.asyncDispose]();
    await expect(waiting).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    await closing;
    expect(lease.open).toEqual([other.number]);
    await expect(tabs.borrow()).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    await tab.giveBack();
    await tabs[Symbol.asyncDispose]();
  });

  it('of the pool waits for a tab that is being opened, and closes it', async () => {
    const tabs = tabsOf();
    lease.opening.hold();
    const opening = tabs.borrow();
    await settle();
    let closed = false;
    const closing = tabs[Symbol.asyncDispose]().then(() => {
      closed = true;
    });
    await expect(opening).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    expect(closed).toBe(false);
    lease.opening.release();
    await closing;
    expect(lease.pages).toHaveLength(1);
    expect(lease.open).toEqual([]);
  });

  it('of the pool leaves no page, at whatever moment of an opening it comes', async () => {
    for (let moment = 0; moment < 20; moment++) {
      lease = new FakeLease();
      const tabs = tabsOf();
      const opening = tabs.borrow().catch(() => undefined);
      for (let passed = 0; passed < moment; passed++) await Promise.resolve();
      await tabs[Symbol.asyncDispose]();
      expect(lease.open, `after ${moment} steps`).toEqual([]);
      await opening;
      await settle();
      expect(lease.open, `after ${moment} steps`).toEqual([]);
    }
  });

  it('of the browser is told to those who wait and to those who open, at once', async () => {
    const tabs = tabsOf(2);
    const tab = await tabs.borrow();
    lease.opening.hold();
    const opening = tabs.borrow();
    const waiting = tabs.borrow();
    await settle();
    lease.crash();
    await expect(opening).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    await expect(waiting).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    await expect(tabs.borrow()).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
    lease.opening.release();
    await tabs[Symbol.asyncDispose]();
    await tab.giveBack();
    expect(lease.open).toEqual([]);
  });

  it('of the lease by its holder refuses new operations at once, and those who wait with the next tab that comes back', async () => {
    const tabs = tabsOf(2);
    const [one, two] = [await tabs.borrow(), await tabs.borrow()];
    const waiting = tabs.borrow().catch((error: PwpoolError) => error);
    lease.release();
    await one.giveBack();
    expect(await waiting).toMatchObject({ code: 'LEASE_REVOKED' });
    await expect(tabs.borrow()).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    await two.giveBack();
    expect(lease.open).toEqual([]);
    await tabs[Symbol.asyncDispose]();
  });

  it('leaves nothing on the lease', async () => {
    expect(() => tabsOf(0)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
    await using tabs = tabsOf();
    for (const maxTabs of [0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => tabs.setMaxTabs(maxTabs)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
    }
    lease.release();
    expect(() => tabsOf()).toThrow(expect.objectContaining({ code: 'LEASE_REVOKED' }));
  });
});

describe('use with a site', () => {
  it('has its turn there when it begins, and holds no tab while it waits: other sites go ahead [004-site-03]', async () => {
    const site = { name: 'slow', hosts: ['slow.example'], minIntervalMs: 2000, concurrency: 1 };
    await using tabs = new TabPool(lease, { clock, sites: new SiteLimits([site], { clock }) });
    const order: string[] = [];
    const visit = (name: string, url: string) =>
      tabs.use(
        async () => {
          order.push(name);
        },
        { site: url },
      );
    await visit('slow 1', 'https://slow.example/');
    const second = visit('slow 2', 'https://slow.example/');
    await settle();
    await visit('other', 'https://other.example/');
    expect(order).toEqual(['slow 1', 'other']);
    await clock.advance(2000);
    await second;
    expect(order).toEqual(['slow 1', 'other', 'slow 2']);
  });
});
