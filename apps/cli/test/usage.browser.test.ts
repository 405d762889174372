import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { describeProgram } from '../src/program.js';
import { Workplace } from './command.js';

/** The words of every command. */
function commandsBelow(parent: Command): string[][] {
  return parent.commands.flatMap((command) => [
    [command.name()],
    ...commandsBelow(command).map((words) => [command.name(), ...words]),
  ]);
}

test('--help lists every command, and each has a help of its own with an example and its exit status', async () => {
  const workplace = await Workplace.make();
  const top = await workplace.run(['--help']);
  expect(top).toMatchObject({ status: 0, stderr: '' });
  expect(await workplace.runHere(['-h'])).toEqual(top);
  expect(await workplace.runHere(['help'])).toEqual(top);
  const commands = commandsBelow(describeProgram(() => async () => undefined));
  expect(commands.length).toBeGreaterThan(30);
  for (const words of commands) {
    if (words.length === 1) expect(top.stdout).toMatch(new RegExp(`^  ${words[0]} `, 'm'));
    const help = await workplace.runHere([...words, '--help']);
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toMatch(/\nExamples:\n {2}.*pwpool /);
    expect(help.stdout).toContain('Exit status');
    expect(help.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('--version is the version of the package', async () => {
  const workplace = await Workplace.make();
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(await workplace.run(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test('wrong usage is told on stderr alone, with the nearest name, and ends with 64', async () => {
  const workplace = await Workplace.make();
  const wrong: [string[], string][] = [
    [[], 'Usage: pwpool'],
    [['stauts'], 'Did you mean status?'],
    [['validate', '--jsn'], 'Did you mean --json?'],
    [['validate', 'extra'], 'too many arguments'],
    [['run'], "missing required argument 'file'"],
    [['run', 'x.yaml', '--pool'], "option '--pool <name>' argument missing"],
    [['status', '--server', '0x10'], 'A process id is a whole number above 0.'],
    [['--loud'], "unknown option '--loud'"],
  ];
  for (const [args, message] of wrong) {
    const { status, stdout, stderr } = await workplace.runHere(args);
    expect({ args, status, stdout }).toEqual({ args, status: 64, stdout: '' });
    expect(stderr).toContain(message);
  }
});

test('nothing is coloured, whatever the environment asks for', async () => {
  const workplace = await Workplace.make();
  for (const args of [['--help'], ['config'], ['nonsense']]) {
    const { stdout, stderr } = await workplace.run(args, { FORCE_COLOR: '1', CLICOLOR_FORCE: '1' });
    expect(stdout + stderr).not.toContain('\u001b');
  }
});

test('a reader that goes away is no crash', async () => {
  const workplace = await Workplace.make();
  for (const args of [['--help'], ['config'], ['config', '--json']]) {
    const { child, ended } = workplace.start(args);
    child.stdout.destroy();
    expect(await ended).toEqual({ status: 0, stdout: '', stderr: '' });
  }
});

test.skipIf(!existsSync('/dev/full'))('a result that cannot be written is a failure', async () => {
  const workplace = await Workplace.make();
  const { status, stderr } = await workplace.runShell('"$0" "$1" validate > /dev/full');
  expect(status).toBe(1);
  expect(stderr).toContain('The output cannot be written');
});

test('mcp serves until its client leaves, and writes nothing else to stdout [arch-run-01, arch-security-01]', async () => {
  const workplace = await Workplace.make();
  expect(await workplace.run(['mcp'])).toEqual({ status: 0, stdout: '', stderr: '' });
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  const { stdout } = await workplace.run(['mcp'], {}, ping);
  expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});
