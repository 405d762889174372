// @module-tag at-length
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPools } from '../../../src/pool/browser-pools.js';
import { type KindOfState, LOTS, type Visit } from './kinds-of-state.js';
import { startStateSite } from './state-site.js';

type Sights = ReadonlyMap<KindOfState, unknown>;

/**
 * Everything that a holder can leave in a browser is left there, all by one holder where that goes together, and then
 * looked for by the holder itself, by the next one, and in a new context of Playwright's own.
 */
describe('a clean lease', () => {
  const kinds = LOTS.flat();
  const byHolder = new Map<KindOfState, unknown>();
  const byNext = new Map<KindOfState, unknown>();
  let inNewContext: Sights;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pwpool-clean-'));
    await using site = await startStateSite();
    await using pools = await BrowserPools.create({
      outputDir: directory,
      pools: { DEFAULT: { instances: 1, isDefault: true, lazy: true, isolated: true } },
    });
    const visitOf = async (context: BrowserContext, page: Page): Promise<Visit> => {
      return { context, page, site, cdp: await context.newCDPSession(page) };
    };
    for (const [turn, lot] of [...LOTS, []].entries()) {
      await using lease = await pools.lease();
      const visit = await visitOf(lease.context(), await lease.page());
      for (const [kind, seen] of await lookFor(LOTS[turn - 1] ?? [], visit)) byNext.set(kind, seen);
      await visit.page.goto(site.url);
      for (const kind of lot) await kind.leave(visit);
      for (const [kind, seen] of await lookFor(lot, visit)) byHolder.set(kind, seen);
    }
    await using lease = await pools.lease();
    const context = await lease.context().browser()?.newContext();
    if (!context) throw new Error('A leased context has its browser.');
    inNewContext = await lookFor(kinds, await visitOf(context, await context.newPage()));
  }, 120_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is looked at in 40 ways or more', () => {
    expect(kinds.length).toBeGreaterThanOrEqual(40);
  });

  it.each(kinds)('shows nothing of $name that the last holder left [arch-reset-04]', (kind) => {
    expect(byHolder.get(kind)).not.toEqual(inNewContext.get(kind));
    expect(byNext.get(kind)).toEqual(inNewContext.get(kind));
  });
});

async function lookFor(kinds: readonly KindOfState[], visit: Visit): Promise<Sights> {
  const sights = new Map<KindOfState, unknown>();
  const look = async (kind: KindOfState) => sights.set(kind, await kind.see(visit));
  for (const kind of kinds) if (kind.shows === 'on arrival') await look(kind);
  const onSite = kinds.filter(({ shows }) => shows !== 'on arrival');
  if (onSite.length > 0) await visit.page.goto(visit.site.url);
  for (const kind of onSite) await look(kind);
  return sights;
}
