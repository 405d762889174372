import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashToken } from '@pwpool/core/internal';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ATTACKS, type Attack, type Prey } from './fixtures/attacks.js';
import { connectNew, connectOld, ERAS, type HttpClient } from './fixtures/clients.js';
import { openFakeHttpServer } from './fixtures/fake-http-server.js';
import { INITIALIZE, send } from './fixtures/raw.js';

/** Every fourth stands for those beside it. */
const FIRST = ATTACKS.filter((_, index) => index % 4 === 1);
const OTHERS = ATTACKS.filter((each) => !FIRST.includes(each));

/** Names are their tokens, too. */
const TOKENS = [
  { name: 'ada' },
  { name: 'eve', pools: ['DEFAULT'] },
  { name: 'few', limits: { sessions: 1 } },
  { name: 'patient', limits: { waiting_calls: 2 } },
  { name: 'slow', limits: { calls_per_minute: 3 } },
  { name: 'gone' },
];

let directory: string;
let server: Awaited<ReturnType<typeof openFakeHttpServer>>;
let prey: Prey;
/** The one that is attacked, in both eras: its session `work` has instance 0 in the old and 1 in the new. */
let ada: HttpClient[];

async function writeTokens(names: readonly { name: string }[]): Promise<void> {
  const tokens = names.map((each) => ({ ...each, sha256: hashToken(each.name).toString('hex') }));
  await writeFile(join(directory, 'tokens.json'), JSON.stringify({ tokens }), { mode: 0o600 });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pwpool-principals-'));
  await writeTokens(TOKENS);
  const stateDir = join(directory, 'states');
  const states = join(stateDir, 'principals', 'ada');
  await mkdir(states, { recursive: true, mode: 0o700 });
  await writeFile(join(states, 'login.json'), '{}');
  server = await openFakeHttpServer({
    httpTokensFile: join(directory, 'tokens.json'),
    stateDir,
    sessionPreempt: 0,
    pools: {
      DEFAULT: { instances: 4, isDefault: true, lazy: true },
      SECRET: { instances: 1, lazy: true },
    },
  });
  const { answer } = server.driver;
  server.driver.answer = (call) =>
    call.tool === 'browser_evaluate'
      ? { content: [{ type: 'text', text: 'confidential '.repeat(10_000) }] }
      : answer(call);
  ada = [await connectOld(server.address, 'ada'), await connectNew(server.address, 'ada')];
  for (const client of ada) await client.text('start_browser', { sessionId: 'work' });
  const [old] = ada;
  if (!old) throw new Error('Nobody is connected.');
  await old.call('browser_evaluate', { sessionId: 'work', function: '() => 1' });
  const artifact = (await old.listResources()).find((uri) => uri.startsWith('blob://')) ?? '';
  const { headers } = await send(server.address, {
    headers: { authorization: 'Bearer ada' },
    body: INITIALIZE,
  });
  prey = { artifact, connection: String(headers['mcp-session-id']) };
});
afterAll(async () => {
  for (const client of ada) await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Ada notices nothing. */
async function expectUntouched(): Promise<void> {
  const seen = await Promise.all(ada.map((client) => client.text('browser_snapshot', { sessionId: 'work' })));
  expect(seen).toEqual([
    expect.stringContaining('browser_snapshot on DEFAULT/0'),
    expect.stringContaining('browser_snapshot on DEFAULT/1'),
  ]);
  expect(await ada[0]?.read(prey.artifact)).toContain('confidential');
}

describe.each(ERAS)('somebody else, of %s, cannot', (_, connect) => {
  let client: HttpClient;
  beforeEach(async () => {
    client = await connect(server.address, 'eve');
    return () => client[Symbol.asyncDispose]();
  });

  const attack = async ({ run, refused }: Attack) => {
    const learnt = await run({ client, address: server.address, token: 'eve', prey });
    expect(learnt).toMatch(refused);
    expect(learnt).not.toMatch(/confidential|"ada"|ada\/(?!work|login)/);
    await expectUntouched();
  };
  it.each(FIRST)('$name [arch-principal-06, arch-principal-08]', attack);
  it.each(OTHERS)('$name', { tags: ['at-length'] }, attack);

  it('learn who holds the browsers, or wait at the cost of others [arch-principal-08]', async () => {
    const messages: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void messages.push(message);
    const target = { browser_pool: 'DEFAULT', browser_instance: '0' };
    const waiting = client.call('browser_snapshot', target, { onprogress });
    await expect.poll(() => messages).not.toEqual([]);
    expect(server.server.pool.pools.waiting()).toMatchObject([{ principal: 'eve', browser_instance: '0' }]);
    await server.clock.advance(60_000);
    const { isError, content } = await waiting;
    expect(isError).toBe(true);
    expect(JSON.stringify([messages, content])).toMatch(/by another client/);
    expect(JSON.stringify([messages, content])).not.toMatch(/work|ada|SECRET/);
    await expectUntouched();
  });

  it('have more sessions than are its own, on another connection either [arch-principal-07]', async () => {
    await using first = await connect(server.address, 'few');
    await using second = await connect(server.address, 'few');
    await first.text('start_browser', { sessionId: 'a' });
    for (const each of [first, second]) {
      const { structuredContent } = await each.call('start_browser', { sessionId: 'b' });
      expect(structuredContent).toMatchObject({
        error: { code: 'SESSION_LIMIT', details: { retryAfterMs: expect.any(Number) } },
      });
    }
    await first.text('close_session', { sessionId: 'a' });
    await expectUntouched();
  });

  it('fill the line, or hold up who comes later [arch-principal-07, arch-fairness-01]', async () => {
    await using patient = await connect(server.address, 'patient');
    await using other = await connect(server.address, 'few');
    const target = { browser_pool: 'SECRET' };
    await ada[0]?.text('start_browser', { sessionId: 'all', browser_pool: 'SECRET' });
    const { pools } = server.server.pool;
    const waiting = [patient.call('browser_snapshot', target), patient.call('browser_snapshot', target)];
    await expect.poll(() => pools.waiting().length).toBe(2);
    const { structuredContent } = await patient.call('browser_snapshot', target);
    expect(structuredContent).toMatchObject({
      error: { code: 'POOL_BUSY', details: { limit: 2, retryAfterMs: 1_000 } },
    });
    waiting.push(other.call('browser_snapshot', target));
    await expect.poll(() => pools.waiting().length).toBe(3);
    const served: unknown[] = [];
    onTestFinished(pools.on('lease-granted', ({ principal }) => served.push(principal)));
    await ada[0]?.text('close_session', { sessionId: 'all' });
    await Promise.all(waiting);
    expect(served).toEqual(['patient', 'few', 'patient']);
    await expectUntouched();
  });

  it('call without end, on another connection either [arch-principal-07]', async () => {
    await server.clock.advance(60_000);
    await using first = await connect(server.address, 'slow');
    await using second = await connect(server.address, 'slow');
    for (let call = 0; call < 3; call++) await first.text('list_sessions');
    for (const tool of ['list_sessions', 'browser_pool_status', 'browser_snapshot']) {
      const { structuredContent } = await second.call(tool);
      expect(structuredContent).toMatchObject({
        error: { code: 'RATE_LIMITED', details: { limit: 3, retryAfterMs: 20_000 } },
      });
    }
    await expectUntouched();
  });
});

it('a token that is revoked is good for nothing, also on a connection that is open [arch-principal-03]', async () => {
  const open = await Promise.all(ERAS.map(([, connect]) => connect(server.address, 'gone')));
  for (const client of open) await client.text('list_sessions');
  await writeTokens(TOKENS.filter(({ name }) => name !== 'gone'));
  await server.clock.advance(1_000);
  await expect.poll(() => server.server.pool.principals?.authenticate('gone')).toBeUndefined();
  for (const client of open) {
    await expect(client.call('list_sessions')).rejects.toThrow();
    await client[Symbol.asyncDispose]();
  }
  await expectUntouched();
});
