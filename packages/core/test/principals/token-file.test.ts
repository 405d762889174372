import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { violationsOf } from '../../src/config/violations.js';
import { PwpoolError } from '../../src/errors.js';
import { hashToken, newToken } from '../../src/principals/token.js';
import { formatTokenFile, inspectTokenFile, parseTokenFile } from '../../src/principals/token-file.js';

const POOLS = ['DEFAULT', 'SCRAPE'];
const HASH = 'a'.repeat(64);

function faultsOf(content: unknown): string[] {
  try {
    parseTokenFile(typeof content === 'string' ? content : JSON.stringify(content), 'tokens.json', POOLS);
    return [];
  } catch (error) {
    if (!(error instanceof PwpoolError)) throw error;
    return violationsOf(error).map(({ message, variable, fix }) => `${variable} | ${message} | ${fix}`);
  }
}

it('tells every fault of the file at once, each with its place and what to do [arch-principal-02]', () => {
  const tokens = [
    { name: 'Alice', sha256: HASH },
    { name: 'bob', sha256: 'pwpool_the-token-itself', pool: ['DEFAULT'] },
    { name: 'carol', sha256: HASH, pools: ['SCRPE'], limits: { sessions: 0, calls: 3 } },
    { name: 'dan', sha256: HASH, pools: ['SCRPE'] },
    { name: 'dan', sha256: HASH },
    { name: 'eve', sha256: 'b'.repeat(64), pools: [], admin: 'yes' },
    'frank',
  ];
  const faults = faultsOf({ tokens });
  expect(faults.map((fault) => fault.split(' | ').slice(0, 2).join(' | '))).toEqual([
    'tokens.json: tokens[0].name | Wrong value for name',
    'tokens.json: tokens[1].sha256 | Wrong value for sha256',
    "tokens.json: tokens[1].pool | Unknown field 'pool'",
    'tokens.json: tokens[2].limits.sessions | Wrong value for sessions',
    "tokens.json: tokens[2].limits.calls | Unknown field 'calls'",
    'tokens.json: tokens[5].pools | Wrong value for pools',
    'tokens.json: tokens[5].admin | Wrong value for admin',
    'tokens.json: tokens[6] | Wrong value for tokens',
    "tokens.json: tokens[4].name | The name 'dan' is in the file twice",
    "tokens.json: tokens[4].sha256 | The token of 'dan' is in the file twice",
    "tokens.json: tokens[3].pools[0] | There is no pool 'SCRPE', which 'dan' may use",
  ]);
  expect(faults.join()).toContain('Did you mean pools?');
  expect(faults.join()).toContain('Use some of: DEFAULT, SCRAPE.');
  expect(faults.join()).not.toContain('the-token-itself');
});

it.each([
  ['no JSON', '{ "tokens": [', 'This is not JSON'],
  ['another field', '{ "tokens": [], "users": [] }', "Unknown field 'users'"],
  ['no tokens', '{}', 'Wrong value for tokens'],
  ['no object', '[]', 'Wrong value for tokens'],
])('refuses a file with %s', (_, text, message) => {
  expect(faultsOf(text).join()).toContain(message);
});

it('reads what it wrote', () => {
  const tokens = [
    { name: 'alice', sha256: hashToken(newToken()).toString('hex') },
    {
      name: 'ci',
      sha256: HASH,
      pools: ['SCRAPE'],
      limits: { sessions: 1, waiting_calls: 0, calls_per_minute: 60 },
      admin: true,
      created: '2026-11-22T15:00:00.000Z',
    },
  ];
  expect(parseTokenFile(formatTokenFile(tokens), 'tokens.json', POOLS)).toEqual(tokens);
});

it.skipIf(process.platform === 'win32')(
  'refuses a file that others can write to, and one that is not there',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pwpool-tokens-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'tokens.json');
    const codes = async () => (await inspectTokenFile(path, POOLS)).map(({ code, fix }) => `${code} ${fix}`);
    expect(await codes()).toEqual(['FILE_UNREADABLE Name a readable file: pwpool token add makes one.']);
    await writeFile(path, formatTokenFile([]));
    await chmod(path, 0o662);
    expect(await codes()).toEqual([`INVALID_VALUE Run: chmod 600 ${path}`]);
    await chmod(path, 0o600);
    expect(await codes()).toEqual([]);
  },
);
