import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Principals } from '../../src/principals/principals.js';
import { hashToken, newToken } from '../../src/principals/token.js';
import { formatTokenFile, type TokenEntry } from '../../src/principals/token-file.js';
import { FakeClock } from '../../src/testing/fake-clock.js';

const [ALICE, BOB] = [newToken(), newToken()];

function entryOf(name: string, token: string, rest: Partial<TokenEntry> = {}): TokenEntry {
  return { name, sha256: hashToken(token).toString('hex'), ...rest };
}

/** Those of a file of their own, followed on a clock that stands still. */
async function principalsOf(tokens: readonly TokenEntry[]) {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-tokens-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'tokens.json');
  const replace = async (text: string) => {
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  await replace(formatTokenFile(tokens));
  const clock = new FakeClock();
  const lines: string[] = [];
  const pools = ['DEFAULT', 'SCRAPE'];
  const principals = await Principals.load(path, pools);
  principals.start({ clock, pools: () => pools, log: (line) => lines.push(line) });
  onTestFinished(() => principals[Symbol.dispose]());
  /** Lets the next look at the file be over. */
  const look = async () => {
    await clock.advance(1_000);
    await expect.poll(() => clock.pendingTimers).toBe(1);
  };
  return { path, replace, look, clock, lines, principals };
}

it('tells who bears a token, and what it may [arch-principal-01]', async () => {
  const limits = { sessions: 2, waiting_calls: 0, calls_per_minute: 60 };
  const { principals } = await principalsOf([
    entryOf('alice', ALICE),
    entryOf('bob', BOB, { pools: ['SCRAPE'], limits, admin: true }),
  ]);
  expect(principals.authenticate(ALICE)).toMatchObject({ name: 'alice', pools: 'all', admin: false });
  expect(principals.authenticate(BOB)).toMatchObject({
    name: 'bob',
    pools: ['SCRAPE'],
    limits: { sessions: 2, waitingCalls: 0, callsPerMinute: 60 },
    admin: true,
  });
  for (const other of ['', 'alice', ALICE.slice(0, -1), `${ALICE}=`, ALICE.toUpperCase(), newToken()]) {
    expect(principals.authenticate(other)).toBeUndefined();
  }
});

it('follows a change of the file, also for who is connected [arch-principal-03]', async () => {
  const { principals, replace, look, lines } = await principalsOf([entryOf('alice', ALICE)]);
  const connected = principals.authenticate(ALICE);
  await replace(formatTokenFile([entryOf('alice', BOB, { pools: ['SCRAPE'], limits: { sessions: 1 } })]));
  await look();
  expect(principals.authenticate(ALICE)).toBeUndefined();
  expect(principals.authenticate(BOB)).toBe(connected);
  expect(connected).toMatchObject({ pools: ['SCRAPE'], limits: { sessions: 1 } });
  await replace(formatTokenFile([]));
  await look();
  expect(principals.authenticate(BOB)).toBeUndefined();
  expect(connected?.pools).toEqual([]);
  expect(lines).toEqual([
    expect.stringContaining('They are of: alice.'),
    expect.stringContaining('They are of: nobody.'),
  ]);
});

it('refuses a changed file that is at fault whole, and tells so once [arch-principal-04]', async () => {
  const { principals, replace, look, lines, path } = await principalsOf([entryOf('alice', ALICE)]);
  const faulty = [entryOf('bob', BOB), entryOf('carol', newToken(), { pools: ['SCRPE'] })];
  await replace(formatTokenFile(faulty));
  await look();
  await look();
  expect(principals.authenticate(BOB)).toBeUndefined();
  expect(principals.authenticate(ALICE)?.name).toBe('alice');
  expect(lines).toEqual([expect.stringMatching(/are refused; those before go on\.[\s\S]*no pool 'SCRPE'/)]);
  await rm(path);
  await look();
  expect(principals.authenticate(ALICE)?.name).toBe('alice');
  await replace(formatTokenFile([entryOf('bob', BOB)]));
  await look();
  expect(principals.authenticate(BOB)?.name).toBe('bob');
  expect(principals.authenticate(ALICE)).toBeUndefined();
});

it('leaves no timer behind, also when it ends in the middle of a look', async () => {
  const { principals, clock } = await principalsOf([entryOf('alice', ALICE)]);
  await clock.advance(999);
  const looking = clock.advance(1);
  principals[Symbol.dispose]();
  await looking;
  expect(clock.pendingTimers).toBe(0);
});
