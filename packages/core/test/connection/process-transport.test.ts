import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { ProcessTransport } from '../../src/connection/process-transport.js';

/** Answers a line with two: one that is no message, and one that is long and comes in pieces. */
const CHILD = `
const long = JSON.stringify({ jsonrpc: '2.0', method: 'long', params: { text: 'ü'.repeat(12e6) } }) + '\\n';
process.stdin.once('data', () => process.stdout.write('no message\\r\\n\\n' + long));
process.stdin.on('end', () => process.exit(0));
`;

it('takes messages of any length, reports what is none, and ends with the process', async () => {
  const child = spawn(process.execPath, ['-e', CHILD]);
  const transport = new ProcessTransport(child);
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  let closed = 0;
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.onclose = () => closed++;
  await transport.start();
  await transport.send({ jsonrpc: '2.0', method: 'hello' });
  await expect.poll(() => messages.length).toBe(1);
  expect(messages[0]).toMatchObject({ method: 'long', params: { text: 'ü'.repeat(12e6) } });
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('not valid JSON')]);

  const ended = once(child, 'exit');
  await transport.close();
  expect(await ended).toEqual([0, null]);
  expect(closed).toBe(1);
  await expect(transport.send({ jsonrpc: '2.0', method: 'late' })).rejects.toThrow('reads no more');
});
