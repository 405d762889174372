import { execFile, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BIN, Workplace } from './command.js';

/** What bash offers behind these words, of which the last is being written. */
async function offered(script: string, ...words: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _pwpool; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ]);
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes commands, options and choices as they are declared', async () => {
  const workplace = await Workplace.make();
  const { status, stdout: script } = await workplace.runHere(['completion', 'bash']);
  expect(status).toBe(0);
  expect(await offered(script, 'pwpool', 'con')).toEqual(['config']);
  expect(await offered(script, 'pwpool', 'config', '')).toEqual(
    expect.arrayContaining(['keys', 'schema', '--changed', '--set', '--help', '--verbose']),
  );
  expect(await offered(script, 'pwpool', 'config', 'keys', '--j')).toEqual(['--json']);
  expect(await offered(script, 'pwpool', 'init', '--client', 'claude')).toEqual([
    'claude-code',
    'claude-desktop',
  ]);
  expect(await offered(script, 'pwpool', 'init', '--client', '=', 'claude')).toEqual([
    'claude-code',
    'claude-desktop',
  ]);
  // A file: bash completes it itself.
  expect(await offered(script, 'pwpool', 'validate', '--config', '')).toEqual([]);
});

/** A directory in which `pwpool` is a command, with two pools configured. */
async function withPools(): Promise<Workplace> {
  const workplace = await Workplace.make({
    'pwpool.config.yaml': 'pools:\n  SHOP: { instances: 1, is_default: true }\n  SCRAPE: { instances: 1 }\n',
    'script.yaml': '',
    pwpool: `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`,
  });
  await chmod(join(workplace.path, 'pwpool'), 0o755);
  workplace.environment['PATH'] = `${workplace.path}:${workplace.environment['PATH']}`;
  return workplace;
}

test('names of the moment are told a line each, with what they are', async () => {
  const workplace = await withPools();
  const { stdout } = await workplace.runHere(['completion', 'pools']);
  expect(stdout).toBe('SHOP\tconfigured here\nSCRAPE\tconfigured here\n');
  expect(await workplace.runHere(['completion', 'servers'])).toMatchObject({ status: 0, stdout: '' });
  const tools = await workplace.runHere(['completion', 'tools']);
  expect(tools.stdout).toMatch(/^browser_navigate\tNavigate to a URL$/m);
});

test('bash asks for the names of pools', async () => {
  const workplace = await withPools();
  const { stdout: script } = await workplace.runHere(['completion', 'bash']);
  await writeFile(join(workplace.path, 'completion.bash'), script);
  const typed = 'COMP_WORDS=(pwpool pools drain S); COMP_CWORD=3; _pwpool; echo "${COMPREPLY[@]}"';
  const { stdout } = await workplace.runShell(`bash -c '. ./completion.bash; ${typed}'`);
  expect(stdout).toBe('SHOP SCRAPE\n');
});

test.skipIf(isMissing('fish'))('fish completes commands, options, names and files', async () => {
  const workplace = await withPools();
  const { stdout: script } = await workplace.runHere(['completion', 'fish']);
  await writeFile(join(workplace.path, 'completion.fish'), script);
  const offers = async (line: string) => {
    const asked = `fish --no-config -c 'source completion.fish; complete -C "${line}"' | cut -f 1`;
    return (await workplace.runShell(asked)).stdout.split('\n').filter((word) => word !== '');
  };
  expect(await offers('pwpool con')).toEqual(['config']);
  expect(await offers('pwpool config keys --j')).toEqual(['--json']);
  expect(await offers('pwpool init --client claude')).toEqual(['claude-code', 'claude-desktop']);
  expect(await offers('pwpool status --pool ')).toEqual(expect.arrayContaining(['SHOP', 'SCRAPE']));
  expect(await offers('pwpool run scr')).toEqual(['script.yaml']);
  expect(await offers('pwpool run --retries ')).toEqual([]);
});

test.skipIf(isMissing('zsh'))('zsh understands its script', async () => {
  const workplace = await Workplace.make();
  const { stdout: script } = await workplace.runHere(['completion', 'zsh']);
  await writeFile(join(workplace.path, '_pwpool'), script);
  expect(await workplace.runShell('zsh -n _pwpool')).toEqual({ status: 0, stdout: '', stderr: '' });
});

function isMissing(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).error !== undefined;
}

test.each(['bash', 'zsh', 'fish'])('every command and option is in the script of %s', async (shell) => {
  const workplace = await Workplace.make();
  const { stdout } = await workplace.runHere(['completion', shell]);
  for (const word of ['validate', '/config/keys', 'env-file', 'claude-desktop', 'completion']) {
    expect(stdout).toContain(word);
  }
});

test('another shell is refused: 64', async () => {
  const workplace = await Workplace.make();
  expect(await workplace.runHere(['completion', 'tcsh'])).toMatchObject({ status: 64, stdout: '' });
});
