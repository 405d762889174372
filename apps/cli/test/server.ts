import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { runningServers } from '@pwpool/core/internal';
import { expect, onTestFinished } from 'vitest';
import { BIN, type Workplace } from './command.js';

/** A `pwpool mcp` child as an agent starts it, found by commands, until the test has finished. */
export class Server {
  readonly processId: number;
  readonly #client: Client;

  private constructor(client: Client, processId: number) {
    this.#client = client;
    this.processId = processId;
  }

  static async start(workplace: Workplace, variables: Record<string, string> = {}): Promise<Server> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp'],
      env: { ...workplace.environment, ...variables },
      cwd: workplace.path,
    });
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(transport);
    const processId = transport.pid ?? 0;
    // It answers its client before anybody else finds it.
    await expect
      .poll(async () => (await runningServers(workplace.environment)).map(({ pid }) => pid))
      .toContain(processId);
    return new Server(client, processId);
  }

  /** Ends the server as a client does that leaves; calls that run fail. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const result = (await this.#client.callTool({ name, arguments: args })) as CallToolResult;
    expect(result.isError, JSON.stringify(result.content)).toBeUndefined();
    return result.structuredContent;
  }
}
