import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, readProcessStart } from '../src/process-identity.js';

/** Starts a process that prints a line and then waits; gives it and the line. */
async function start(
  command: string,
  args: string[],
): Promise<{ child: ChildProcess; pid: number; line: string }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [data] = await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0, line: String(data) };
}

const WAIT = "console.log('ready'); process.stdin.resume()";

test('a process runs until it has ended', async () => {
  const { child, pid } = await start(process.execPath, ['-e', WAIT]);
  const processStart = await readProcessStart(pid);
  expect(await isRunning(pid, processStart)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isRunning(pid, processStart)).toBe(false);
  expect(await isRunning(pid, null)).toBe(false);
  expect(await readProcessStart(pid)).toBeNull();
});

test('a pid that no system can have is not running', async () => {
  expect(await isRunning(9_999_999_999, null)).toBe(false);
});

test.runIf(process.platform === 'linux')('another process start is another process', async () => {
  const processStart = (await readProcessStart(process.pid)) ?? 0;
  expect(processStart).toBeGreaterThan(0);
  expect(await isRunning(process.pid, processStart)).toBe(true);
  expect(await isRunning(process.pid, processStart + 1)).toBe(false);
});

test.runIf(process.platform === 'linux')('the name of a process cannot forge its state', async () => {
  const { pid } = await start(process.execPath, ['-e', `process.title = 'a) Z 1 (b'; ${WAIT}`]);
  expect(await isRunning(pid, await readProcessStart(pid))).toBe(true);
});

test.runIf(process.platform === 'linux')('a zombie, ended and not waited for, is not running', async () => {
  // The shell becomes a program that never waits for the child that the shell had.
  const { child, line } = await start('sh', ['-c', 'sleep 60 & echo $!; exec cat']);
  const zombie = Number(line);
  child.stdin?.write('the shell is cat by now');
  if (child.stdout) await once(child.stdout, 'data');
  expect(await isRunning(zombie, null)).toBe(true);
  process.kill(zombie, 'SIGKILL');
  await expect.poll(() => isRunning(zombie, null)).toBe(false);
  expect(process.kill(zombie, 0), 'still has its pid').toBe(true);
});
