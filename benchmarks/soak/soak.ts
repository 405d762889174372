/**
 * A pool at full load while its browsers are killed: does any call hang, does any browser get into two hands, does the
 * server grow? README.md says what is counted. Exits with 1 if so.
 *
 *   pnpm --filter pwpool-benchmarks soak [--seconds 600] [--kill-every 5] [--json]
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../figures.js';
import { descendantsOf, handlesOf, memoryOf } from '../processes.js';
import { LedgerSite } from './ledger-site.js';
import { PoolServer } from './pool-server.js';

/** Milliseconds after which a call without an answer counts as hanging. */
const HANG_MS = 60_000;
const SESSIONS = 8;
const ONE_SHOT_CALLERS = 4;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    'kill-every': { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds);
const killEveryMs = Number(options['kill-every']) * 1_000;

const SETTINGS = {
  // Sessions on browsers of their own, and twice as many as there are browsers.
  _SESSIONS_INSTANCES: 4,
  _SESSIONS_IS_DEFAULT: 'true',
  // One-shot calls on browsers that share a process.
  _SHOTS_INSTANCES: 4,
  _SHOTS_CONTEXTS_PER_BROWSER: 2,
  _SHOTS_RESET: 'lease',
  _SHOTS_MAX_USES: 50,
  ISOLATED: 'true',
  SESSION_PREEMPT: 1,
  TIMEOUT: 10_000,
  TIMEOUT_SETTLE: 0,
  START_TIMEOUT: 15_000,
  LEASE_TIMEOUT: 45_000,
  HEALTH_INTERVAL: 2_000,
  HEALTH_TIMEOUT: 2_000,
  // Far more browsers are killed than a pool that is well would ever lose.
  MAX_RESTARTS: 100_000,
};

interface Sample {
  atSeconds: number;
  memoryMiB: number;
  handles: number;
}

const calls = new Map<string, number>();
const kills = new Map<string, number>();
const hangs: string[] = [];
const samples: Sample[] = [];
let slowestMs = 0;

const folder = await mkdtemp(join(tmpdir(), 'pws-'));
const ending = new AbortController();
const begin = performance.now();
const report = await run();
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
console.log(options.json ? JSON.stringify(report, null, 2) : describe());
process.exitCode = report.failures.length > 0 ? 1 : 0;

async function run() {
  await using site = new LedgerSite();
  const url = await site.listen();
  const server = new PoolServer(folder, SETTINGS);
  await server.start();
  const { processId } = server;
  const stop = setTimeout(() => ending.abort(), seconds * 1_000);
  await Promise.all([
    ...Array.from({ length: SESSIONS }, (_, number) => useSession(server, url, `session-${number}`)),
    ...Array.from({ length: ONE_SHOT_CALLERS }, (_, number) => callOnce(server, url, number)),
    killBrowsers(processId),
    sample(processId),
  ]);
  clearTimeout(stop);
  const recovered = await recovers(server);
  const browsers = descendantsOf(processId).length;
  await server[Symbol.asyncDispose]();
  const leftProcesses = descendantsOf(1).filter(({ commandLine }) => commandLine.includes(folder));
  const leftFiles = (await readdir(folder)).filter(
    (name) => name.startsWith('pwpool-') || name.endsWith('.sock'),
  );
  const growth = growthOf(samples);
  const failures = [
    ...hangs.map((call) => `no answer within ${HANG_MS} ms: ${call}`),
    ...site.mixUps.map((mixUp) => `a browser in two hands: ${mixUp}`),
    ...(recovered ? [] : ['the pools did not come back to full strength']),
    ...leftProcesses.map(({ commandLine }) => `left running: ${commandLine.slice(0, 120)}`),
    ...leftFiles.map((name) => `left behind: ${name}`),
    ...(growth.handles > 10 ? [`${growth.handles} more handles at the end`] : []),
    ...(seconds >= 300 && growth.memoryMiB > 25 ? [`${growth.memoryMiB} MiB more memory at the end`] : []),
  ];
  return {
    seconds,
    calls: Object.fromEntries(calls),
    kills: Object.fromEntries(kills),
    visits: site.visits,
    slowestMs: Math.round(slowestMs),
    browsers,
    growth,
    samples,
    failures,
    log: failures.length > 0 ? server.log : '',
  };
}

/** A session that goes on through whatever happens to its browser. */
async function useSession(server: PoolServer, url: string, sessionId: string): Promise<void> {
  await call(server, 'start_browser', { sessionId });
  while (!ending.signal.aborted) {
    await call(server, 'browser_navigate', { sessionId, url: `${url}/of/${sessionId}` });
    await call(server, 'browser_evaluate', { sessionId, function: '() => document.title' });
  }
}

/** Calls that need no session: each finds a fresh browser. */
async function callOnce(server: PoolServer, url: string, number: number): Promise<void> {
  for (let turn = 0; !ending.signal.aborted; turn++) {
    await call(server, 'browser_navigate', {
      browser_pool: 'SHOTS',
      url: `${url}/of/shot-${number}-${turn}`,
    });
  }
}

async function call(server: PoolServer, name: string, args: Record<string, unknown>): Promise<void> {
  try {
    const { code, elapsedMs } = await server.call(name, args, HANG_MS);
    slowestMs = Math.max(slowestMs, elapsedMs);
    count(calls, code ?? 'ok');
  } catch (error) {
    hangs.push(`${name} ${JSON.stringify(args)}: ${error}`);
  }
}

/** Kills or stops a random process: a browser, one of its pages, or what draws them. */
async function killBrowsers(server: number): Promise<void> {
  while (await pause(killEveryMs)) {
    const found = descendantsOf(server).filter(({ commandLine }) => commandLine.includes('--user-data-dir'));
    const victim = found[Math.floor(Math.random() * found.length)];
    if (!victim) continue;
    const kind = /--type=(\S+)/.exec(victim.commandLine)?.[1] ?? 'browser';
    const signal = Math.random() < 0.25 ? 'SIGSTOP' : 'SIGKILL';
    try {
      process.kill(victim.processId, signal);
      count(kills, `${signal} ${kind}`);
    } catch {
      // It has ended by itself meanwhile.
    }
  }
}

async function sample(server: number): Promise<void> {
  while (await pause(Math.min(5_000, seconds * 50))) {
    samples.push({
      atSeconds: Math.round((performance.now() - begin) / 1_000),
      memoryMiB: Math.round(memoryOf(server) / 1024 / 1024),
      handles: handlesOf(server),
    });
  }
}

/** @returns whether every instance is well again within the time that probes and restarts take */
async function recovers(server: PoolServer): Promise<boolean> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const { text } = await server.call('browser_pool_status', {}, HANG_MS);
    const { summary } = JSON.parse(text) as {
      summary: { healthy_instances: number; total_instances: number };
    };
    if (summary.healthy_instances === summary.total_instances) return true;
    await delay(500);
  }
  return false;
}

/** What the median of the last third has on top of that of the second third: the first is warming up. */
function growthOf(all: readonly Sample[]): { memoryMiB: number; handles: number } {
  const third = Math.floor(all.length / 3);
  const [middle, last] = [all.slice(third, 2 * third), all.slice(2 * third)];
  const difference = (of: (each: Sample) => number) => median(last.map(of)) - median(middle.map(of));
  return { memoryMiB: difference((each) => each.memoryMiB), handles: difference((each) => each.handles) };
}

async function pause(ms: number): Promise<boolean> {
  await delay(ms, undefined, { signal: ending.signal }).catch(() => {});
  return !ending.signal.aborted;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function describe(): string {
  const { growth, failures, visits, browsers } = report;
  const words = (counts: object) =>
    Object.entries(counts)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ');
  const [first, last] = [samples.at(0), samples.at(-1)];
  return [
    `${seconds} s; visits ${visits}; calls: ${words(report.calls)}`,
    `killed: ${words(report.kills)}; slowest answer ${report.slowestMs} ms; processes at the end ${browsers}`,
    `memory of the server ${first?.memoryMiB} MiB at first, ${last?.memoryMiB} at last; handles ${first?.handles}, ${last?.handles}`,
    `last third against the second: ${growth.memoryMiB} MiB, ${growth.handles} handles`,
    failures.length === 0 ? 'nothing hung, nothing mixed up, nothing left' : failures.slice(0, 20).join('\n'),
    report.log,
  ].join('\n');
}
