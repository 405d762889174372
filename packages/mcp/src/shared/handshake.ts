import { lineOf, readObject } from './messages.js';

/*
 * What an end and its server say to each other around the messages of MCP, which pass between them as they are. The first
 * line each way is a greeting. A last line of the end says that its window has gone for good: one that was killed says
 * nothing, and may come back.
 */

/** Who has connected. */
export interface Greeting {
  /** Of this end alone: by it the end gets its sessions back. */
  name: string;
  pid: number;
  /** Where its window works. */
  cwd: string;
}

const LEAVE = 'leave';

export function greetingLine(greeting: Greeting): Buffer {
  return lineOf({ pwpool: 'end', ...greeting });
}

export function readGreeting(line: Buffer): Greeting | undefined {
  const { pwpool, name, pid, cwd } = readObject(line) ?? {};
  if (pwpool !== 'end' || typeof name !== 'string' || !END_NAME.test(name)) return undefined;
  return typeof pid === 'number' && typeof cwd === 'string' ? { name, pid, cwd } : undefined;
}

/** Names of ends become names of folders. */
export const END_NAME = /^(?<pid>[1-9]\d{0,9})-[0-9a-f]{16}$/;

/** The answer to a greeting: the server takes the end's messages. */
export function welcomeLine(): Buffer {
  return lineOf({ pwpool: 'server', pid: process.pid });
}

export function isWelcome(line: Buffer): boolean {
  return readObject(line)?.['pwpool'] === 'server';
}

export function leaveLine(): Buffer {
  return lineOf({ pwpool: LEAVE });
}

export function isLeave(line: Buffer): boolean {
  // Short, so that no message is read twice.
  return line.length < 64 && readObject(line)?.['pwpool'] === LEAVE;
}
