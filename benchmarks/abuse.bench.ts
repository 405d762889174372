/**
 * How long four clients of the HTTP server wait for a call while a fifth, in a process of its own, abuses it: rubbish,
 * half requests, calls that it leaves in the middle, connections that it drops; and after that one was killed. Exits
 * with 1 when the 99th percentile is more than one and a half times what it was alone. Between two calls a client thinks, as
 * agents do; with `--think 0` the four alone use up the machine, and whatever the fifth does is taken from them.
 *
 *   pnpm --filter pwpool-benchmarks abuse [--calls 100] [--think 200]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { median, quantile } from './figures.js';
import { PWPOOL_MCP } from './mcp-server.js';

const CLIENTS = 4;
const AT_MOST = 1.5;
/** Milliseconds between two misdeeds. */
const PAUSE_MS = 20;

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '100' },
    think: { type: 'string', default: '200' },
    abuse: { type: 'string' },
  },
});
const THINK_MS = Number(options.think);

if (options.abuse === undefined) await measure();
else await abuse(new URL(options.abuse));

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pwa-'));
  const children: ChildProcess[] = [];
  const clients: Client[] = [];
  try {
    const server = start([PWPOOL_MCP, '--http', '--port', '0'], folder);
    children.push(server);
    const address = await said(server, /Serving MCP at (\S+)/);
    for (let n = 0; n < CLIENTS; n++) clients.push(await client(address));
    await callAll(clients, 10);
    const alone = await callAll(clients, Number(options.calls));
    const abuser = start([...process.execArgv, fileURLToPath(import.meta.url), '--abuse', address], folder);
    children.push(abuser);
    await said(abuser, /^(ready)/);
    const beside = await callAll(clients, Number(options.calls));
    abuser.kill('SIGKILL');
    const after = await callAll(clients, Number(options.calls));
    console.table(Object.entries({ alone, beside, after }).map(([when, times]) => row(when, times)));
    const ratio = quantile(beside, 0.99) / quantile(alone, 0.99);
    console.log(
      `p99 beside an abuser: ${ratio.toFixed(2)} of alone (at most ${AT_MOST}); load average ${loadavg()[0]?.toFixed(1)}`,
    );
    process.exitCode = ratio <= AT_MOST ? 0 : 1;
  } finally {
    await Promise.allSettled(clients.map((each) => each.close()));
    for (const child of children) await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function start(args: readonly string[], folder: string): ChildProcess {
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, PWPOOL_RUNTIME_DIR: folder };
  return spawn(process.execPath, args, { cwd: process.cwd(), env, stdio: ['ignore', 'inherit', 'pipe'] });
}

/** What a process says on stderr: the first group of the pattern. */
async function said({ stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  let told = '';
  return await new Promise((resolve) => {
    stderr?.on('data', (chunk: Buffer) => {
      told += String(chunk);
      const found = pattern.exec(told)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function client(address: string): Promise<Client> {
  const made = new Client({ name: 'benchmark', version: '0' });
  await made.connect(new StreamableHTTPClientTransport(new URL(address)));
  return made;
}

/** All at once, each one call after the other; milliseconds of each call. */
async function callAll(clients: readonly Client[], calls: number): Promise<number[]> {
  const times: number[] = [];
  const work = clients.map(async (each, who) => {
    for (let call = 0; call < calls; call++) {
      const begin = performance.now();
      const wanted = who * 100_000 + call;
      const { content } = await each.callTool({
        name: 'browser_evaluate',
        arguments: { function: `() => ${wanted}` },
      });
      if (!JSON.stringify(content).includes(String(wanted))) throw new Error(JSON.stringify(content));
      times.push(performance.now() - begin);
      // At random, so that the four do not fall into step.
      await sleep(THINK_MS * (0.5 + Math.random()));
    }
  });
  await Promise.all(work);
  return times;
}

function row(when: string, times: readonly number[]) {
  return {
    'four clients': when,
    calls: times.length,
    'median, ms': Math.round(median([...times])),
    'p99, ms': Math.round(quantile([...times], 0.99)),
  };
}

/** Until it is killed. */
async function abuse(address: URL): Promise<void> {
  const own = await client(address.href);
  // What its browser takes to start is no abuse.
  await own.callTool({ name: 'browser_evaluate', arguments: { function: '() => 1' } });
  console.error('ready');
  const misdeeds = [
    () =>
      void fetch(address, {
        method: 'POST',
        body: 'no json',
        headers: { 'content-type': 'application/json' },
      }).catch(() => {}),
    () => {
      const socket = connectSocket(Number(address.port), address.hostname).on('error', () => {});
      socket.write('POST /mcp HTTP/1.1\r\nHos');
    },
    () => {
      const left = new AbortController();
      const call = { name: 'browser_evaluate', arguments: { function: '() => 1' } };
      own.callTool(call, undefined, { signal: left.signal }).catch(() => {});
      setTimeout(() => left.abort(), PAUSE_MS / 2);
    },
    () =>
      void client(address.href).then(
        (other) => other.close(),
        () => {},
      ),
  ];
  for (let n = 0; ; n++) {
    misdeeds[n % misdeeds.length]?.();
    await sleep(PAUSE_MS);
  }
}
