// @module-tag at-length
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES, PlaywrightToolset } from '@pwpool/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type SharedServer,
  type StdioServers,
  startSharedServer,
  startStdioServers,
} from '../fixtures/chaos-clients.js';
import { type ChaosSite, startChaosSite } from '../fixtures/chaos-site.js';
import { type Tally, Visitor } from '../fixtures/chaos-visitor.js';
import { pool, poolsOf, processesIn, StdioServer, temporaryDirectory } from '../fixtures/stdio-server.js';

/** 1,000 show more, and take too long for every run of the tests. */
const NAVIGATIONS = Number(process.env['PWPOOL_CHAOS_NAVIGATIONS'] ?? 96);
const SEED = Number(process.env['PWPOOL_CHAOS_SEED'] ?? 3);
/** An instance that was killed often is started again only after a minute. */
const PATIENCE = { timeout: 90_000 };
const CODES: ReadonlySet<string> = new Set(ERROR_CODES);

it(
  'eight clients while browsers are killed: no wrong page, no failure without a code, nothing left',
  async () => {
    await using directory = await temporaryDirectory();
    // Short: Chromium puts a socket below it, whose path may have 107 bytes.
    const temporary = join(directory.path, 't');
    await mkdir(temporary);
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    // Loaded before anything is counted: upstream keeps some of it for good.
    const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
    const listeners = processListeners();
    {
      await using site = await startChaosSite();
      const outputDir = join(directory.path, 'output');
      await using shared = await startSharedServer({ clients: 4, instances: 5, toolset, outputDir });
      await using servers = await startStdioServers({ clients: 4, instances: 2, temporary });
      await runChaos(site, shared, servers);
    }
    expect(await processesIn(directory.path)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
    expect(process.getActiveResourcesInfo()).not.toContain('Timeout');
    expect(processListeners()).toEqual(listeners);
  },
  NAVIGATIONS * 2_000 + 120_000,
);

it('a session that is closed while it is brought back gives its new browser back too', async () => {
  await using site = await startChaosSite();
  await using server = await StdioServer.start(pool('DEFAULT', 1));
  const sessionId = 'alice';
  const leased = async () => (await poolsOf(server))[0]?.leased_instances;
  await server.text('start_browser', { sessionId, navigationUrl: `${site.origin}/login/alice` });
  await server.text('browser_navigate', { sessionId, url: `${site.origin}/page/alice-1` });
  const [browser] = (await poolsOf(server)).flatMap(({ instances }) => instances[0]?.process_id ?? []);
  if (browser === undefined) throw new Error('No browser runs.');
  process.kill(browser, 'SIGKILL');
  await expect.poll(leased).toBe(0);

  let answer = () => {};
  const asked = new Promise<void>((isAsked) => {
    site.beforeAnswer('alice-1', async () => {
      isAsked();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    });
  });
  const call = server.error('browser_snapshot', { sessionId });
  await asked;
  await server.text('close_session', { sessionId });
  answer();
  expect(await call).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect.poll(leased).toBe(0);
});

async function runChaos(site: ChaosSite, shared: SharedServer, servers: StdioServers): Promise<void> {
  const killed = new Set<number>();
  const visitors = [...shared.clients, ...servers.clients].map(
    (client, index) => new Visitor({ ...client, site, seed: SEED + index, killed }),
  );
  const begin = performance.now();
  onTestFinished(() => {
    const seconds = Math.round((performance.now() - begin) / 1000);
    console.log(JSON.stringify({ seed: SEED, kills: killed.size, ...total(visitors), seconds }));
  });

  await Promise.all(visitors.map((visitor) => visitor.arrive()));
  const share = Math.ceil(NAVIGATIONS / visitors.length);
  await Promise.all(visitors.map((visitor) => visitor.roam(share - visitor.tally.navigations)));

  for (const visitor of visitors) await expectToGoOn(visitor, killed);
  await Promise.all(visitors.map(expectAllBack));
  expect(shared.pools.status().summary.healthy_instances).toBe(5);

  const { navigations, restored, wrongPages, failed } = total(visitors);
  expect(navigations).toBeGreaterThanOrEqual(NAVIGATIONS);
  expect(killed.size).toBeGreaterThan(NAVIGATIONS / 60);
  expect(restored).toBeGreaterThan(0);
  expect(wrongPages).toEqual([]);
  expect(site.strangers).toEqual([]);
  expect(Object.keys(failed).filter((code) => !CODES.has(code))).toEqual([]);
  expect(shared.ledger.violations).toEqual([]);
  expect(shared.ledger.held).toEqual(new Map());
  // The log tells of each browser that was killed, and of nothing else.
  const told = servers.stderr().split('\n');
  expect(
    told.filter((line) => line !== '' && !/^pwpool: Instance '.' of pool .* was lost \(/.test(line)),
  ).toEqual([]);
}

/** The session that the visitor began with still serves it, whatever happened to its browsers. */
async function expectToGoOn(visitor: Visitor, killed: ReadonlySet<number>): Promise<void> {
  const deadButShown = async () => (await visitor.browsers()).filter((id) => killed.has(id));
  await expect.poll(deadButShown, PATIENCE).toEqual([]);
  expect(await visitor.navigate()).not.toHaveProperty('isError');
  if ('INSTANCE_CRASHED' in visitor.tally.failed) expect(visitor.tally.restored).toBeGreaterThan(0);
  expect(await visitor.call('close_session', { sessionId: visitor.name })).not.toHaveProperty('isError');
}

async function expectAllBack(visitor: Visitor): Promise<void> {
  await expect
    .poll(async () => (await visitor.status()).summary, PATIENCE)
    .toMatchObject({ leased_instances: 0, failed_instances: 0, available_instances: visitor.instances });
}

function processListeners(): Record<string, number> {
  return Object.fromEntries(
    process.eventNames().map((event) => [String(event), process.listenerCount(event)]),
  );
}

function total(visitors: readonly Visitor[]): Tally {
  const sum: Tally = { navigations: 0, looks: 0, failed: {}, oddities: [], wrongPages: [], restored: 0 };
  for (const { tally } of visitors) {
    sum.navigations += tally.navigations;
    sum.looks += tally.looks;
    sum.restored += tally.restored;
    sum.oddities.push(...tally.oddities);
    sum.wrongPages.push(...tally.wrongPages);
    for (const [code, count] of Object.entries(tally.failed)) {
      sum.failed[code] = (sum.failed[code] ?? 0) + count;
    }
  }
  return sum;
}
