/**
 * Whether one client of the HTTP server disturbs the others: clients of both eras, each signed in as a user of its own, look
 * who they are, again and again. One of them, in a process of its own, at first does the same; then it abuses the server with
 * rubbish, half requests, calls that it leaves in the middle and connections that it drops; then it is killed. Exits with 1
 * when a client is ever another, or when meanwhile or afterwards the 99th percentile of the others is more than one and a
 * half times what it was before.
 *
 *   pnpm --filter pwpool-benchmarks disturbance [--clients 16] [--looks 63] [--think 0]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packedPool } from '../fixtures/stdio-server.js';
import { connectOld, ERAS, type HttpClient } from './fixtures/clients.js';
import { startHttpProcess } from './fixtures/http-process.js';
import { look, signIn, startLogins } from './fixtures/logins.js';

const AT_MOST = 1.5;
/** Milliseconds between two misdeeds. */
const PAUSE_MS = 20;

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '16' },
    looks: { type: 'string', default: '63' },
    /** Milliseconds between two looks, on average. */
    think: { type: 'string', default: '0' },
    rogue: { type: 'string' },
    site: { type: 'string', default: '' },
  },
});

interface User {
  client: HttpClient;
  user: string;
  sessionId: string;
}

if (options.rogue === undefined) await measure();
else await goRogue(options.rogue, options.site);

async function measure(): Promise<void> {
  const count = Number(options.clients);
  await using site = await startLogins();
  await using server = await startHttpProcess(packedPool('DEFAULT', count));
  const users: User[] = [];
  for (let n = 1; n < count; n++) {
    const [, connect] = ERAS[n % 2] ?? ERAS[0];
    const client = await connect(server.address);
    users.push({ client, user: `user${n}`, sessionId: await signIn(client, site.origin, `user${n}`) });
  }
  const args = ['--rogue', server.address, '--site', site.origin, '--think', options.think];
  const rogue = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(rogue.stdout, 'data');
    await lookAll(users, site.origin, 3);
    const before = await lookAll(users, site.origin);
    rogue.stdin.write('abuse');
    const abused = await lookAll(users, site.origin);
    rogue.kill('SIGKILL');
    const killed = await lookAll(users, site.origin);
    const phases = Object.entries({ before, abused, killed });
    console.table(phases.map(([phase, times]) => row(phase, times)));
    const worst = Math.max(quantile(abused, 0.99), quantile(killed, 0.99)) / quantile(before, 0.99);
    console.log(
      `p99 of the others: ${worst.toFixed(2)} of before (at most ${AT_MOST}); load average ${loadavg()[0]?.toFixed(1)}`,
    );
    process.exitCode = worst <= AT_MOST ? 0 : 1;
  } finally {
    rogue.kill('SIGKILL');
    await Promise.allSettled(users.map(({ client }) => client[Symbol.asyncDispose]()));
  }
}

/** All at once, each one look after the other; milliseconds of each. */
async function lookAll(
  users: readonly User[],
  origin: string,
  looks = Number(options.looks),
): Promise<number[]> {
  const times: number[] = [];
  const work = users.map(async ({ client, ...who }) => {
    for (let n = 0; n < looks; n++) {
      const begin = performance.now();
      const wrong = await look(client, origin, who);
      if (wrong !== undefined) throw new Error(`${who.user} got another's page: ${wrong}`);
      times.push(performance.now() - begin);
      await think();
    }
  });
  await Promise.all(work);
  return times;
}

/** At random, so that they do not fall into step. */
async function think(): Promise<void> {
  await sleep(Number(options.think) * (0.5 + Math.random()));
}

function row(phase: string, times: readonly number[]) {
  return {
    phase,
    looks: times.length,
    'median, ms': Math.round(quantile(times, 0.5)),
    'p99, ms': Math.round(quantile(times, 0.99)),
  };
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

/** Looks as the others do until it is told to abuse, and then does that until it is killed. */
async function goRogue(address: string, origin: string): Promise<void> {
  const client = await connectOld(address);
  const who = { user: 'rogue', sessionId: await signIn(client, origin, 'rogue') };
  let told = false;
  process.stdin.once('data', () => {
    told = true;
  });
  // Who measures is gone.
  process.stdin.once('end', () => process.exit());
  process.stdout.write('ready');
  while (!told) {
    await look(client, origin, who);
    await think();
  }
  const misdeeds = misdeedsAt(address, client, who.sessionId);
  for (let n = 0; ; n++) {
    misdeeds[n % misdeeds.length]?.();
    await sleep(PAUSE_MS);
  }
}

function misdeedsAt(address: string, client: HttpClient, sessionId: string): (() => void)[] {
  const { hostname, port } = new URL(address);
  const headers = { 'content-type': 'application/json' };
  return [
    () => void fetch(address, { method: 'POST', body: 'no json', headers }).catch(() => {}),
    () => {
      const socket = connectSocket(Number(port), hostname).on('error', () => {});
      socket.write('POST /mcp HTTP/1.1\r\nHos');
    },
    () => {
      const signal = AbortSignal.timeout(PAUSE_MS / 2);
      client.call('browser_evaluate', { sessionId, function: '() => 1' }, { signal }).catch(() => {});
    },
    () =>
      void connectOld(address).then(
        (other) => other[Symbol.asyncDispose](),
        () => {},
      ),
  ];
}
