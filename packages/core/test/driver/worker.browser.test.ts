// @module-tag at-length
import { readdir, stat } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { WorkerDriver } from '../../src/driver/worker/worker-driver.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';
import {
  browsersOn,
  freePorts,
  instanceOf,
  listen,
  type PoolInput,
  page,
  startChild,
  startChromium,
  temporaryDirectory,
} from './fixtures/browsers.js';

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  // Where locks and profiles are.
  vi.stubEnv('XDG_DATA_HOME', directory);
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const profiles = () => readdir(join(directory, 'pwpool', 'profiles', 'WEB'));
/** What should not be there any more: scratch directories, and what Playwright makes for a browser. */
const leftovers = async () =>
  (await readdir(directory)).filter((name) => /^(pwpool|playwright)/.test(name) && name !== 'pwpool');
const locks = () => readdir(join(directory, 'pwpool', 'locks'));
const driver = () => new WorkerDriver({ clock: systemClock, outputDir: directory });
const forever = new AbortController().signal;

/** A pool `WEB` of worker browsers, until the end of the test. */
async function poolsOf(settings: Partial<PoolInput>) {
  const pool = { instances: 1, isDefault: true, timeoutSettle: 0, ...settings };
  const pools = await BrowserPools.create(
    { outputDir: directory, pools: { WEB: pool } },
    { driver: driver() },
  );
  onTestFinished(() => pools.close());
  return { pools, instances: () => pools.status().pools[0]?.instances ?? [] };
}

const WORKER_CHILD = new URL('fixtures/worker-child.ts', import.meta.url);
const LOCK_CHILD = new URL('fixtures/lock-child.ts', import.meta.url);

const fixture = (file: URL, argument: string) =>
  startChild(process.execPath, ['--import', TSX, fileURLToPath(file), argument]);

it('workers start when they are needed, each with a port, a process and a profile of its own; one that is killed comes back [004-worker-01, 004-worker-02, 004-worker-03, 004-worker-04, 004-lazy-01]', async () => {
  const port = await freePorts(2);
  const settings = { instances: 2, cdpPortBase: port, profilePrefix: 'Lyra-', lazy: true };
  const { pools, instances } = await poolsOf(settings);
  expect([...(await browsersOn(port)), ...(await browsersOn(port + 1))]).toEqual([]);

  const first = await pools.lease({ instance: '0' });
  expect(await browsersOn(port + 1)).toEqual([]);
  const second = await pools.lease({ instance: '1' });
  expect(await profiles()).toEqual(['Lyra-00', 'Lyra-01']);
  const running = [...(await browsersOn(port)), ...(await browsersOn(port + 1))];
  expect(running).toEqual(instances().map(({ process_id }) => process_id));
  const cookie = { name: 'user', value: 'ada', url: 'http://127.0.0.1/', expires: 4_000_000_000 };
  await first.context().addCookies([cookie]);
  expect(await second.context().cookies()).toEqual([]);

  const silence = await listen(createServer());
  const call = errorOf(first.callTool('browser_navigate', { url: `http://127.0.0.1:${silence}/` }));
  await expect.poll(() => first.context().pages().length).toBe(1);
  process.kill(running[0] ?? 0, 'SIGKILL');
  expect((await call).code).toBe('INSTANCE_CRASHED');
  await using again = await pools.lease({ instance: '0' });
  await again.callTool('browser_navigate', { url: page('again') });
  expect(await browsersOn(port)).toEqual([instances()[0]?.process_id]);

  await pools.close();
  expect([...(await browsersOn(port)), ...(await browsersOn(port + 1))]).toEqual([]);
  expect(await locks()).toEqual([]);
  expect(await leftovers()).toEqual([]);
});

it('a browser that answers on the port is attached to; its user keeps it, and its tabs [004-lazy-02, arch-driver-07]', async () => {
  const port = await freePorts();
  const { pid } = await startChromium(port);
  for (const isolated of [false, true]) {
    const { pools, instances } = await poolsOf({ cdpPortBase: port, isolated, lazy: true });
    await using lease = await pools.lease();
    await lease.callTool('browser_navigate', { url: page('ours') });
    expect(await (await lease.page()).title()).toBe('ours');
    expect(lease.context().pages()).toHaveLength(1);
    expect(instances()[0]).toMatchObject({ status: 'healthy', process_id: null });
    await pools.close();
    expect(await browsersOn(port)).toEqual([pid]);
  }
  await expect(profiles()).rejects.toThrow('ENOENT');
});

it('servers that start at once share one set of workers; when the one that started a browser ends, the other starts it anew [004-lazy-03]', {
  timeout: 180_000,
}, async () => {
  const port = await freePorts(2);
  const ports = [port, port + 1];
  // On a busy machine the browsers of a server that ends are there for a while: attaching to them is in vain.
  const patience = { maxRestarts: 1_000, startTimeout: 60_000 };
  // Nobody takes a lease a second time here, which a browser of a lazy pool would wait for.
  const pool = {
    instances: 2,
    isDefault: true,
    lazy: false,
    cdpPortBase: port,
    timeoutSettle: 0,
    ...patience,
  };
  const server = () => fixture(WORKER_CHILD, JSON.stringify({ ...pool, outputDir: directory }));
  const servers = [server(), server()] as const;
  const ask = async ({ child, line }: (typeof servers)[number]) => {
    child.stdin.write('\n');
    const { instances, tabs } = JSON.parse(await line());
    return { pids: instances.map(({ process_id }: { process_id: number }) => process_id), tabs };
  };

  const [one, other] = await Promise.all(servers.map(ask));
  const running = await Promise.all(ports.map(browsersOn));
  // Each was started by one of them, the other is attached and knows of no process.
  expect(running.map((pids) => pids.length)).toEqual([1, 1]);
  for (const [index, [pid]] of running.entries()) {
    expect([one?.pids[index], other?.pids[index]].sort()).toEqual([null, pid].sort());
  }
  // Both work in the profile of each, and see only their own tabs.
  expect([one?.tabs, other?.tabs]).toEqual([
    [1, 1],
    [1, 1],
  ]);

  servers[0].child.stdin.end();
  await servers[0].ended;
  await expect.poll(async () => (await ask(servers[1])).pids, { timeout: 100_000 }).not.toContain(null);
  expect((await Promise.all(ports.map(browsersOn))).flat()).toEqual((await ask(servers[1])).pids);
  servers[1].child.stdin.end();
  await servers[1].ended;
  expect((await Promise.all(ports.map(browsersOn))).flat()).toEqual([]);
  expect(await locks()).toEqual([]);
  expect(await leftovers()).toEqual([]);
});

it('a lock is waited for, and one whose holder was killed keeps nobody out for long [004-lazy-03]', async () => {
  const port = await freePorts();
  const holder = fixture(LOCK_CHILD, `worker-${port}`);
  expect(await holder.line()).toBe('locked');
  expect((await stat(join(directory, 'pwpool', 'locks'))).mode & 0o777).toBe(0o700);

  const late = await errorOf(driver().start(instanceOf({ cdpPortBase: port, startTimeout: 500 }), forever));
  expect(late).toMatchObject({ code: 'BROWSER_NOT_READY' });
  expect(late.message).toContain(`was not there on port ${port} within 425 ms`);
  expect(await browsersOn(port)).toEqual([]);

  await holder.kill();
  await using browser = await driver().start(instanceOf({ cdpPortBase: port, isolated: true }), forever);
  expect(await browsersOn(port)).toEqual([browser.processId]);
  // Isolated, it works in a context of its own, which a reset replaces.
  await browser.context?.addCookies([{ name: 'user', value: 'ada', url: 'http://127.0.0.1/' }]);
  await browser.inspect();
  await browser.reset(forever);
  expect(await browser.context?.cookies()).toEqual([]);
  expect(await locks()).toEqual([]);
});

it.each([
  ['a web site', () => createHttpServer((_, response) => void response.end('<h1>hi</h1>'))],
  ['something that hangs up', () => createServer((socket) => void socket.destroy())],
])('a port that is taken by %s is refused in words', async (_what, serverOf) => {
  const port = await listen(serverOf());
  const error = await errorOf(driver().start(instanceOf({ cdpPortBase: port }), forever));
  expect(error.code).toBe('BROWSER_NOT_READY');
  expect(error.message).toContain(`Port ${port} is taken, and no browser answers there`);
  expect(error.hint).toContain('CDP_PORT_BASE');
  expect(await browsersOn(port)).toEqual([]);
});

it('a port that takes connections and never answers is refused after two questions', async () => {
  const clock = new FakeClock();
  const server = createServer();
  const config = instanceOf({ cdpPortBase: await listen(server) });
  const refused = errorOf(new WorkerDriver({ clock, outputDir: directory }).start(config, forever));
  for (const _question of [1, 2]) {
    // The deadline of the start, and that of the question.
    await expect.poll(() => clock.pendingTimers).toBe(2);
    await clock.advance(5_000);
  }
  expect((await refused).message).toContain('nothing answers within 5000 ms');
  expect(clock.pendingTimers).toBe(0);
});
