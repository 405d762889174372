import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Lease } from '../../src/pool/lease.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { CheckpointStore } from '../../src/session/state/checkpoint-store.js';
import { StateKeeper } from '../../src/session/state/state-keeper.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { errorOf, poolOf } from '../pool/pool-fixture.js';

async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pwpool-checkpoints-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function storeIn(parent: string, passphrase?: string, log: (line: string) => void = () => {}) {
  return await CheckpointStore.open({ directory: join(parent, 'sessions'), passphrase, log });
}

/** Sessions in a server of their own, which may have been killed: nothing of it was closed. */
async function serverOn(directory: string, server = {}) {
  const fixture = await poolOf({ instances: 3, lazy: true }, { server });
  const sessions = new SessionManager(fixture.pools, await storeIn(directory));
  const end = async () => await sessions[Symbol.asyncDispose]();
  return { ...fixture, sessions, end };
}

describe('sessions whose server was killed [arch-shared-06]', () => {
  it('go on in the next one under their names, chosen as they were, and tell so once', async () => {
    const directory = await temporaryDirectory();
    const killed = await serverOn(directory);
    const own = await killed.sessions.own('window');
    for (const sessionId of ['a', 'b']) await killed.sessions.start({ client: 'window', sessionId });
    killed.sessions.setCurrent('window', 'a');
    await killed.sessions.close('window', 'b');
    await killed.sessions.start({ client: 'other' });

    const { sessions, end } = await serverOn(directory);
    await sessions.resume('window');
    expect(sessions.list('window')).toMatchObject({
      sessions: [
        { sessionId: own.id, status: 'crashed', browser_instance: null },
        { sessionId: 'a', status: 'crashed' },
      ],
      currentSession: 'a',
    });
    expect(sessions.all().map(({ client }) => client)).not.toContain('other');
    expect(await errorOf(Promise.resolve().then(() => sessions.get('window', 'b')))).toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    const answers = [];
    for (let call = 0; call < 2; call++)
      answers.push(await sessions.get('window', 'a').callTool('browser_snapshot', {}));
    expect(answers[0]?.restored).toMatchObject({ after: 'crashed', failed: ['There was no saved state.'] });
    expect(answers[1]?.restored).toBeUndefined();
    expect(await sessions.own('window')).toMatchObject({ id: own.id });
    await sessions.closeClient('window');
    expect(await readdir(join(directory, 'sessions'))).toEqual(['other']);
    await end();
    await killed.end();
    expect(await readdir(directory)).toEqual([]);
  });

  it('are nobody’s where SESSION_RESTORE is false, and where their pool is gone', async () => {
    const directory = await temporaryDirectory();
    const killed = await serverOn(directory);
    await killed.sessions.start({ client: 'window', sessionId: 'a' });
    const { sessions, end } = await serverOn(directory, { sessionRestore: false });
    await sessions.resume('window');
    expect(sessions.list('window').sessions).toEqual([]);
    await sessions.start({ client: 'window', sessionId: 'a' });
    expect(await readdir(directory)).toEqual([]);
    await end();
    await killed.end();
  });
});

const SECRET = 'token=abc';

/** A lease of a browser that shows one page and has one cookie. */
function leaseAt(url: string): Lease {
  const context = {
    on: () => {},
    off: () => {},
    cookies: async () => [
      {
        name: 'user',
        value: SECRET,
        domain: 'a',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Lax',
      },
    ],
  };
  const page = { url: () => url, context: () => context };
  const never = new AbortController().signal;
  return {
    context: () => context,
    openPages: () => [page],
    revoked: never,
    ended: never,
  } as unknown as Lease;
}

describe('what is kept of a session', () => {
  it.each([{ passphrase: undefined }, { passphrase: 'tulip' }])(
    'is on the disk with the answer, for its user alone, encrypted with STATE_KEY ($passphrase)',
    async ({ passphrase }) => {
      const directory = await temporaryDirectory();
      const checkpoint = (await storeIn(directory, passphrase)).of('window').session();
      const clock = new FakeClock();
      new StateKeeper(clock, { idle: true }, { checkpoint }).answered(
        leaseAt(`https://shop.test/?${SECRET}`),
        true,
      );
      const folder = join(directory, 'sessions', 'window');
      const lines = () => readFileSync(join(folder, '1.jsonl'), 'utf8').split('\n').filter(Boolean);
      // At once: the cookies come a moment later.
      expect(lines()).toHaveLength(1);
      await settle();
      expect(lines()).toHaveLength(2);
      expect(readdirSync(folder)).toEqual(['1.jsonl']);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      for (const name of await readdir(folder)) {
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
        expect((await readFile(join(folder, name), 'utf8')).includes(SECRET)).toBe(passphrase === undefined);
      }
      const known = await (await storeIn(directory, passphrase)).of('window').session(1).load();
      expect(new StateKeeper(clock, { idle: true }, { known }).last).toMatchObject({
        pages: [{ url: `https://shop.test/?${SECRET}` }],
        cookies: [{ value: SECRET }],
      });
      if (passphrase === undefined) return;
      for (const other of [undefined, 'rose']) {
        const unread = await (await storeIn(directory, other)).of('window').session(1).load();
        expect(unread).toEqual({ pages: undefined, cookies: undefined, state: undefined });
      }
    },
  );

  it('is not written any more once the session is over', async () => {
    const directory = await temporaryDirectory();
    const checkpoint = (await storeIn(directory)).of('window').session();
    const keeper = new StateKeeper(new FakeClock(), { idle: true }, { checkpoint });
    keeper.answered(leaseAt('https://shop.test/'), true);
    checkpoint.remove();
    await settle();
    expect(await readdir(join(directory, 'sessions', 'window'))).toEqual([]);
  });

  it('is left out where it is damaged', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'sessions', 'window'), { recursive: true });
    const write = (name: string, text: string) =>
      writeFile(join(directory, 'sessions', 'window', name), text);
    await write('client.json', '{"version":1,"sessions":[{"id"');
    const reading = (title: string) => ({
      at: 1,
      answers: 1,
      value: [{ url: `https://shop.test/${title}`, sessionStorage: [] }],
    });
    const pages = (title: string) => JSON.stringify({ part: 'pages', ...reading(title) });
    // A kill cuts the last line short.
    await write('1.jsonl', `${pages('a')}\n[]\n${pages('b')}\n${pages('c').slice(0, -9)}`);
    const kept = (await storeIn(directory)).of('window');
    expect(await kept.load()).toBeUndefined();
    const checkpoint = kept.session(1);
    expect((await checkpoint.load()).pages).toMatchObject(reading('b'));
    // What is written next stands on a line of its own, and what was there before stays.
    checkpoint.save('cookies', { at: 2, answers: 2, value: [] });
    expect(await kept.session(1).load()).toMatchObject({ pages: reading('b'), cookies: { at: 2 } });
    checkpoint.remove();
  });

  it('takes the room that it needs, however many calls a session has', async () => {
    const directory = await temporaryDirectory();
    const kept = (await storeIn(directory)).of('window');
    const checkpoint = kept.session();
    checkpoint.save('cookies', { at: 1, answers: 1, value: [] });
    const file = join(directory, 'sessions', 'window', '1.jsonl');
    const sizes: number[] = [];
    for (let answers = 1; answers <= 3_000; answers++) {
      const url = `https://shop.test/${answers}`;
      checkpoint.save('pages', { at: answers, answers, value: [{ url, sessionStorage: [] }] });
      sizes.push(statSync(file).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(300 * 1024);
    expect(Math.max(...sizes)).toBeGreaterThan(200 * 1024);
    expect(await kept.session(1).load()).toMatchObject({ pages: { answers: 3_000 }, cookies: { at: 1 } });
    checkpoint.remove();
  });

  it('costs no session when the disk does not take it; that is told once', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'sessions'), 'a file');
    const lines: string[] = [];
    const store = await storeIn(directory, undefined, (line) => lines.push(line));
    const { pools } = await poolOf({ instances: 2 });
    await using sessions = new SessionManager(pools, store);
    for (const sessionId of ['a', 'b']) await sessions.start({ client: 'window', sessionId });
    expect(lines).toEqual([expect.stringContaining('Sessions will not outlive a kill of this server:')]);
  });
});
