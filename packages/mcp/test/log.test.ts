import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConfigInput, resolveConfig } from '@pwpool/core';
import { FakeClock } from '@pwpool/core/testing';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../src/log/log-record.js';
import { ServerLog } from '../src/log/server-log.js';
import { directoryOfTest, operatedServer } from './fixtures/operated-server.js';

const CALL = { client: 'stdio', session: 'alice', tool: 'browser_click', ms: 12, code: null };

function logOf(input: ConfigInput = {}) {
  const lines: string[] = [];
  const log = new ServerLog({
    clock: new FakeClock(),
    config: resolveConfig(input),
    tell: (line) => lines.push(line),
  });
  return { log, lines };
}

const recordsIn = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord);

describe('the log', () => {
  it('has one line a call, which is none of stderr [001-call-03]', async () => {
    const path = join(await directoryOfTest(), 'logs', 'pwpool.log');
    const { log, lines } = logOf({ logFile: path });
    log.call(CALL);
    log.write('warn', 'Instance lost.', { pool: 'WEB' });
    await log[Symbol.asyncDispose]();
    const [call, warning] = await recordsIn(path);
    expect(call).toMatchObject({ ...CALL, level: 'info', msg: 'call', pid: process.pid });
    expect(call?.time).toMatch(/^\d{4}-.*Z$/);
    expect(warning).toMatchObject({ level: 'warn', msg: 'Instance lost.', pool: 'WEB' });
    expect(lines).toEqual(['Instance lost.']);
    expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it.each([
    ['error', ['Bad.'], ['Bad.']],
    ['warn', ['Bad.', 'Hm.'], ['Bad.', 'Hm.']],
    ['info', ['Bad.', 'Hm.', 'So.', 'call'], ['Bad.', 'Hm.', 'So.']],
    [
      'debug',
      ['Bad.', 'Hm.', 'So.', 'call', 'Fine.'],
      ['Bad.', 'Hm.', 'So.', 'stdio alice browser_click 12 ms ok', 'Fine.'],
    ],
  ] as const)('LOG_LEVEL=%s keeps %j, and tells a person %j', (logLevel, kept, told) => {
    const { log, lines } = logOf({ logLevel });
    log.write('error', 'Bad.');
    log.write('warn', 'Hm.');
    log.write('info', 'So.');
    log.call(CALL);
    log.write('debug', 'Fine.');
    expect(log.latest(10).map(({ msg }) => msg)).toEqual(kept);
    expect(lines).toEqual(told);
  });

  it('masks what is secret [arch-security-07]', () => {
    const { log, lines } = logOf({
      secrets: { PASSWORD: 'hunter22' },
      stateKey: 'open sesame',
      proxyServer: 'http://user:proxypass@proxy.test:3128',
      endpoint: 'wss://browsers.test/?token=endpointtoken',
      endpointHeaders: '{"Authorization":"Bearer abcd-efgh"}',
      redactUrlParams: ['access_token'],
    });
    log.write(
      'info',
      'typed hunter22, key open sesame, proxypass, endpointtoken, Bearer abcd-efgh, http://me:pw@site.test/?access_token=xyz&page=2, Bearer other.token',
    );
    expect(lines).toEqual([
      'typed ***, key ***, ***, ***, ***, http://***@site.test/?access_token=***&page=2, Bearer ***',
    ]);
    expect(JSON.stringify(log.latest(1))).not.toMatch(
      /hunter22|sesame|proxypass|endpointtoken|abcd|xyz|other/,
    );
  });

  it('of a disk that is full tells that once, and nothing else fails', async () => {
    const { log, lines } = logOf({ logFile: '/dev/full' });
    log.call(CALL);
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^The log file \/dev\/full cannot be written: ENOSPC.* The server goes on without it\.$/,
    );
    for (let call = 0; call < 100; call++) log.call(CALL);
    await log[Symbol.asyncDispose]();
    expect(lines).toHaveLength(1);
    expect(log.latest(1_000)).toHaveLength(101);
  });

  it('of a path that is a directory the same', async () => {
    const path = await directoryOfTest();
    await mkdir(join(path, 'logs'));
    const { log, lines } = logOf({ logFile: join(path, 'logs') });
    log.call(CALL);
    await expect.poll(() => lines[0]).toMatch(/cannot be written: EISDIR/);
    log.call(CALL);
    await log[Symbol.asyncDispose]();
  });
});

describe('logs', () => {
  it('shows the latest lines, and goes on with those that come', async () => {
    const { ask, server } = await operatedServer({
      pools: { WEB: { instances: 1, isDefault: true, isolated: true } },
    });
    await ask('call', { tool: 'start_browser', args: { sessionId: 'mine' } });
    await ask('call', { tool: 'browser_snapshot', args: { sessionId: 'nobody' } });
    const calls: unknown[] = [];
    await ask('logs', { lines: 2 }, (record) => calls.push(record));
    expect(calls).toMatchObject([
      { msg: 'call', client: 'command', tool: 'start_browser', session: 'mine', code: null },
      { msg: 'call', tool: 'browser_snapshot', session: 'nobody', code: 'SESSION_NOT_FOUND' },
    ]);
    const followed: unknown[] = [];
    void ask('logs', { lines: 0, follow: true }, (record) => followed.push(record)).catch(() => {});
    const last = () => {
      server.log.write('info', 'Still here.');
      return followed.at(-1);
    };
    await expect.poll(last).toMatchObject({ msg: 'Still here.' });
  });
});

it('tells of sessions that nobody has closed [001-call-03]', async () => {
  const { ask, clock, server } = await operatedServer({
    pools: { WEB: { instances: 3, isDefault: true, isolated: true } },
    sessionIdleTimeout: 60_000,
  });
  for (const sessionId of ['idle', 'closed'])
    await ask('call', { tool: 'start_browser', args: { sessionId } });
  await ask('call', { tool: 'close_session', args: { sessionId: 'closed' } });
  await clock.advance(60_000);
  const ends = server.log.latest(100).filter(({ msg }) => / ended\./.test(msg));
  expect(ends).toMatchObject([
    { session: 'idle', client: 'command', msg: "Session 'idle' ended. It had no call for 60000 ms." },
  ]);
});

describe('events', () => {
  it('tells what happens to the pools, until whoever listens leaves', async () => {
    const { ask, driver, server } = await operatedServer({
      pools: {
        WEB: { instances: 1, isDefault: true, isolated: true },
        NEWS: { instances: 1, isolated: true },
      },
    });
    const told: unknown[] = [];
    void ask('events', { pool: 'WEB' }, (event) => told.push(event)).catch(() => {});
    // A browser crashes but once: somebody listens by then.
    const toldOfLease = async () => {
      await (await server.pools.lease({ pool: 'WEB' })).release();
      return told;
    };
    await expect.poll(toldOfLease).toContainEqual(expect.objectContaining({ event: 'lease-granted' }));
    driver.browser('0', 'NEWS').crash();
    driver.browser('0', 'WEB').crash();
    const lost = { event: 'instance-lost', pool: 'WEB', instance: '0', cause: 'crash' };
    await expect.poll(() => told).toContainEqual(expect.objectContaining(lost));
    expect(JSON.stringify(told)).not.toContain('NEWS');
    await expect(ask('events', { pool: 'SHIP' })).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' });
  });
});

describe('WATCH_CONFIG', () => {
  it('takes in by itself what changes in the files [arch-operate-03]', async () => {
    const path = join(await directoryOfTest(), 'pool.env');
    await writeFile(path, 'one');
    const { server, configure, clock } = await operatedServer(
      { watchConfig: true, pools: { WEB: { instances: 1, isDefault: true, isolated: true } } },
      [path],
    );
    configure({ watchConfig: true, pools: { WEB: { instances: 2, isDefault: true, isolated: true } } });
    const timers = clock.pendingTimers;
    await writeFile(path, 'two');
    await expect.poll(() => clock.pendingTimers).toBeGreaterThan(timers);
    await clock.advance(200);
    await expect.poll(() => server.pools.status().summary.total_instances).toBe(2);
  });
});
