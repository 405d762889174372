import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashToken } from '@pwpool/core/internal';
import { expect, test, vi } from 'vitest';
import { addToken } from '../src/commands/token.js';
import { Workplace } from './command.js';

const CONFIGURED = {
  PW_MCP_PROXY_HTTP_TOKENS_FILE: 'tokens.json',
  PW_MCP_PROXY__SCRAPE_INSTANCES: '1',
  PW_MCP_PROXY__SCRAPE_IS_DEFAULT: 'true',
};

async function entriesIn(workplace: Workplace): Promise<Record<string, unknown>[]> {
  return JSON.parse(await readFile(join(workplace.path, 'tokens.json'), 'utf8')).tokens;
}

test('makes a token that is shown once, lists it and takes it back [arch-principal-05]', async () => {
  const workplace = await Workplace.make();
  const run = (...args: string[]) => workplace.runHere(['token', ...args], CONFIGURED);
  const added = await run('add', 'ci', '--pool', 'SCRAPE', '--sessions', '4', '--calls-per-minute', '600');
  expect(added).toMatchObject({ status: 0, stdout: expect.stringMatching(/^pwpool_[\w-]{43}\n$/) });
  const token = added.stdout.trim();
  expect(await entriesIn(workplace)).toEqual([
    {
      name: 'ci',
      sha256: hashToken(token).toString('hex'),
      pools: ['SCRAPE'],
      limits: { sessions: 4, calls_per_minute: 600 },
      created: expect.any(String),
    },
  ]);
  expect((await stat(join(workplace.path, 'tokens.json'))).mode & 0o777).toBe(0o600);
  expect((await run('add', 'root', '--admin')).status).toBe(0);

  const listed = await run('list');
  expect(listed.stdout).toMatch(/^ci +SCRAPE +4 +- +600 +- +2/m);
  expect(listed.stdout).toMatch(/^root +all +- +- +- +yes +2/m);
  const { stdout } = await run('list', '--json');
  expect(JSON.parse(stdout).tokens).toEqual([
    expect.objectContaining({ name: 'ci' }),
    expect.objectContaining({ name: 'root', admin: true }),
  ]);
  expect(stdout + listed.stdout).not.toContain(hashToken(token).toString('hex'));

  expect(await run('revoke', 'ci')).toMatchObject({ status: 0, stderr: '' });
  expect(await entriesIn(workplace)).toEqual([expect.objectContaining({ name: 'root' })]);
});

test.each([
  { args: ['add', 'ci'], variables: {}, status: 64, tells: 'HTTP_TOKENS_FILE' },
  { args: ['add', 'ci'], variables: CONFIGURED, status: 64, tells: 'pwpool token revoke ci' },
  { args: ['add', 'Ada'], variables: CONFIGURED, status: 78, tells: 'lower-case letters' },
  { args: ['add', 'ada', '--pool', 'SCRPE'], variables: CONFIGURED, status: 78, tells: "no pool 'SCRPE'" },
  { args: ['add', 'ada', '--sessions', 'many'], variables: CONFIGURED, status: 64, tells: 'whole number' },
  { args: ['revoke', 'ada'], variables: CONFIGURED, status: 64, tells: 'There are those of: ci.' },
])('refuses token $args and changes nothing', async ({ args, variables, status, tells }) => {
  const text = JSON.stringify({ tokens: [{ name: 'ci', sha256: 'a'.repeat(64) }] });
  const workplace = await Workplace.make({ 'tokens.json': text });
  await chmod(join(workplace.path, 'tokens.json'), 0o600);
  const outcome = await workplace.runHere(['token', ...args], variables);
  expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(tells) });
  expect(await readFile(join(workplace.path, 'tokens.json'), 'utf8')).toBe(text);
});

test('--help shows examples of each form, and the exit status', async () => {
  const workplace = await Workplace.make();
  const { status, stdout } = await workplace.runHere(['token', '--help']);
  expect(status).toBe(0);
  for (const text of [
    'pwpool token add',
    'pwpool token list',
    'pwpool token revoke',
    'Exit status: 0 done',
  ]) {
    expect(stdout).toContain(text);
  }
});

test('validate tells what is wrong with the file of tokens', async () => {
  const workplace = await Workplace.make({ 'tokens.json': '{ "tokens": [{}] }' });
  const { status, stderr } = await workplace.runHere(['validate', '--no-probe'], CONFIGURED);
  expect(status).toBe(78);
  expect(stderr).toContain('Wrong value for sha256\n  variable: tokens.json: tokens[0].sha256');
});

test('commands at the same time change the file one after the other: none is lost', async () => {
  const workplace = await Workplace.make();
  const names = ['ada', 'ben', 'cy'];
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const complained = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const file = join(workplace.path, 'tokens.json');
  const added = await Promise.all(names.map((name) => addToken(name, { file })));
  printed.mockRestore();
  complained.mockRestore();
  expect(added).toEqual([0, 0, 0]);
  expect((await entriesIn(workplace)).map(({ name }) => name).sort()).toEqual(names);
  expect(await readdir(workplace.path)).not.toContain('tokens.json.lock');
});

test('the file is that of --file, else of the configuration that the command names', async () => {
  const config = 'http_tokens_file: mine.json\npools:\n  A: { instances: 1, is_default: true }\n';
  const workplace = await Workplace.make({
    'other.yaml': config,
    'other.env': 'PW_MCP_PROXY_HTTP_TOKENS_FILE=env.json\n',
  });
  const add = (...args: string[]) => workplace.runHere(['token', 'add', 'ada', ...args]);
  expect((await add('--config', 'other.yaml', '--pool', 'A')).status).toBe(0);
  expect((await add('--config', 'other.yaml', '--env-file', 'other.env')).status).toBe(0);
  expect((await add('--config', 'other.yaml', '--set', 'http_tokens_file=set.json')).status).toBe(0);
  expect((await add('--file', 'file.json')).status).toBe(0);
  const written = (await readdir(workplace.path)).filter((name) => name.endsWith('.json'));
  expect(written.sort()).toEqual(['env.json', 'file.json', 'mine.json', 'set.json']);
});
