// @module-tag at-length
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BIN, Workplace } from './command.js';

/** util-linux' script has a terminal of its own for a command, which is lost when it is killed. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

test.skipIf(!hasScript).each([
  ['serve --port 0', 'Serving MCP at'],
  ['mcp', '"serverInfo"'],
  ['status --watch', '\u001b[H'],
])('%s ends when its terminal is lost', async (command, ready) => {
  const { path, environment } = await Workplace.make();
  const own = `echo $$ > pid; exec '${process.execPath}' '${BIN}' ${command}`;
  const terminal = spawn('script', ['-qec', own, '/dev/null'], { cwd: path, env: environment });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => {
    shown += String(chunk);
  });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  };
  terminal.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await expect.poll(() => shown).toContain(ready);
  const processId = Number(await readFile(join(path, 'pid'), 'utf8'));
  expect(isRunning(processId)).toBe(true);
  terminal.kill('SIGKILL');
  await expect.poll(() => isRunning(processId)).toBe(false);
});

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
