import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';

/**
 * MCP over the stdin and stdout of a child process that somebody else has spawned and ends.
 *
 * Unlike the SDK's own it leaves the process to its owner, and takes messages of any length: screenshots get large.
 * Source: MCP, "Transports", stdio: one JSON-RPC message a line.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'] & {};
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  #partial: Buffer[] = [];

  /** @param child one that was spawned just now: its end must be yet to come */
  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
  }

  async start(): Promise<void> {
    this.#child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [this.#child.stdin, this.#child.stdout]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    void this.#ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writable) throw new Error('The process reads no more.');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await once(stdin, 'drain');
  }

  /** Tells the process that nothing more comes, and waits until it has ended. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = Buffer.concat([...this.#partial, rest.subarray(0, end)]).toString('utf8');
      this.#partial = [];
      rest = rest.subarray(end + 1);
      this.#receive(line);
    }
    if (rest.length > 0) this.#partial.push(rest);
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
