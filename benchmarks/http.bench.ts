/**
 * What a call costs through each way in: pwpool over stdio, through --shared and over HTTP, and playwright-mcp over
 * HTTP, in turns; and what the HTTP server has grown by after many clients have come and gone. README.md says what each
 * figure means. Exits with 1 when the server holds more, memory or open files, than the clients that it keeps account
 * for.
 *
 *   pnpm --filter pwpool-benchmarks http [--rounds 20] [--connects 1000]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BROWSER_SETTINGS } from './browser.js';
import { median, quantile } from './figures.js';
import { PLAYWRIGHT_MCP, PLAYWRIGHT_MCP_FLAGS, PWPOOL_MCP } from './mcp-server.js';

/** Calls of one turn. */
const CALLS = 10;
/** Clients that left without a word which the server keeps at most. */
const KEPT = 1_000;
/** MiB of the heap that are alive beside those: for one such client, and for what first use loads. */
const [A_CLIENT_MIB, FIRST_USE_MIB] = [0.02, 8];
/** Open files more than before the first client came. */
const MORE_HANDLES = 8;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    connects: { type: 'string', default: '1000' },
  },
});

const TELL_MEMORY = ['--expose-gc', '--import', new URL('tell-memory.mjs', import.meta.url).href];

const folder = await mkdtemp(join(tmpdir(), 'pwp-'));
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  TMPDIR: folder,
  PWPOOL_RUNTIME_DIR: folder,
  PW_MCP_PROXY_OUTPUT_DIR: join(folder, 'output'),
  PW_MCP_PROXY_SHARED_LINGER: '0',
  ...BROWSER_SETTINGS,
};
const servers: ChildProcess[] = [];
const clients: Client[] = [];
try {
  const ours = await startServer(
    [...TELL_MEMORY, PWPOOL_MCP, '--http', '--port', '0'],
    /Serving MCP at (\S+)/,
  );
  if (Number(options.rounds) > 0) await measureCalls(await connectAll(ours.address));
  await measureConnects(ours);
} finally {
  await Promise.allSettled(clients.map((client) => client.close()));
  await Promise.all(servers.map(end));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function connectAll(address: string): Promise<Record<string, Client>> {
  const theirs = await startServer(
    [PLAYWRIGHT_MCP, '--port', '8988', ...PLAYWRIGHT_MCP_FLAGS],
    /Listening on (\S+)/,
  );
  return {
    'pwpool, stdio': await connectStdio([PWPOOL_MCP]),
    'pwpool, --shared': await connectStdio([PWPOOL_MCP, '--shared']),
    'pwpool, HTTP': await connectHttp(address),
    'playwright-mcp, HTTP': await connectHttp(`${new URL(theirs.address).origin}/mcp`),
  };
}

interface Server {
  readonly address: string;
  readonly process: ChildProcess;
}

async function startServer(args: readonly string[], told: RegExp): Promise<Server> {
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  servers.push(child);
  let text = '';
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += String(chunk);
      const found = told.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`The server ended: ${text}`)));
  });
  return { address, process: child };
}

async function end(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill('SIGTERM')) await exited;
}

async function connectStdio(args: readonly string[]): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd: folder,
    env,
    stderr: 'ignore',
  });
  return await connect(transport);
}

async function connectHttp(address: string): Promise<Client> {
  return await connect(new StreamableHTTPClientTransport(new URL(address)));
}

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'benchmark', version: '0' });
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** Each way has its turn in each round, so that what else the machine does falls on all alike. */
async function measureCalls(ways: Readonly<Record<string, Client>>): Promise<void> {
  const elapsed = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (const client of Object.values(ways)) {
    await client.callTool({
      name: 'browser_navigate',
      arguments: { url: 'data:text/html,<title>a</title>' },
    });
  }
  // The first round is not counted.
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [name, client] of Object.entries(ways)) {
      for (let call = 0; call < CALLS; call++) {
        const begin = performance.now();
        const args = { function: `() => ${round} * 1000 + ${call}` };
        const { content } = await client.callTool({ name: 'browser_evaluate', arguments: args });
        if (!JSON.stringify(content).includes(String(round * 1000 + call)))
          throw new Error(JSON.stringify(content));
        if (round > 0) elapsed.get(name)?.push(performance.now() - begin);
      }
    }
  }
  const rows = [...elapsed].map(([name, times]) => ({
    'browser_evaluate through': name,
    'calls a second': Math.round(1000 / (times.reduce((sum, time) => sum + time, 0) / times.length)),
    'median, ms': rounded(median(times)),
    'p99, ms': rounded(quantile(times, 0.99)),
  }));
  console.table(rows);
}

/** Half of the clients say that they leave, half just go. */
async function measureConnects({ address, process: server }: Server): Promise<void> {
  const total = Number(options.connects);
  const first = await seen(server, 0);
  const rows = [first];
  for (let count = 1; count <= total; count++) {
    const transport = new StreamableHTTPClientTransport(new URL(address));
    const client = new Client({ name: 'benchmark', version: '0' });
    await client.connect(transport);
    await client.listTools();
    if (count % 2 === 0) await transport.terminateSession();
    await client.close();
    if (count % Math.ceil(total / 5) === 0) rows.push(await seen(server, count));
  }
  console.table(rows);
  console.log(`load average ${loadavg()[0]?.toFixed(1)}`);
  for (const { connects, alive, handles } of rows) {
    const kept = Math.min(connects / 2, KEPT);
    const most = first.alive + FIRST_USE_MIB + kept * A_CLIENT_MIB;
    if (alive <= most && handles <= first.handles + MORE_HANDLES) continue;
    console.error(`After ${connects} clients: more than ${rounded(most)} MiB alive, or too many open files.`);
    process.exitCode = 1;
  }
}

/** MiB in all and alive, and open files. */
async function seen(server: ChildProcess, connects: number) {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  const handles = (await readdir(`/proc/${server.pid}/fd`)).length;
  const told = new Promise<number>((resolve) => server.once('message', (bytes) => resolve(Number(bytes))));
  server.send('how much');
  const rss = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  return { connects, 'RSS, MiB': rss, alive: rounded((await told) / 1024 / 1024), handles };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
