import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { askStatus, systemClock } from '@pwpool/core/internal';
import { expect } from 'vitest';
import { ChildTransport } from '../fixtures/child-transport.js';
import {
  BIN,
  environment,
  errorOf,
  packedPool,
  processesIn,
  temporaryDirectory,
  textOf,
} from '../fixtures/stdio-server.js';

/** One window: an MCP client that has started `pwpool-mcp --shared`. */
export class Window {
  readonly client = new Client({ name: 'window', version: '1' });
  readonly #transport: ChildTransport;

  constructor(transport: ChildTransport) {
    this.#transport = transport;
  }

  /** Ends the end as `kill -9` does. */
  kill(): void {
    process.kill(this.processId, 'SIGKILL');
  }

  get stderr(): string {
    return this.#transport.stderr;
  }

  /** Of the end that the client has started. */
  get processId(): number {
    return this.#transport.processId;
  }

  async open(): Promise<this> {
    await this.client.connect(this.#transport);
    return this;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return (await this.client.callTool({ name, arguments: args })) as CallToolResult;
  }

  async text(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.call(name, args);
    expect(result.isError, textOf(result)).toBeUndefined();
    return textOf(result);
  }

  async error(name: string, args: Record<string, unknown> = {}): Promise<{ code: string; hint?: string }> {
    return errorOf(await this.call(name, args));
  }
}

/** Windows of one user, and the servers that they start; gone with the desk. */
export class Desk implements AsyncDisposable {
  readonly #directory: { path: string } & AsyncDisposable;
  readonly #windows: Window[] = [];

  private constructor(directory: { path: string } & AsyncDisposable) {
    this.#directory = directory;
  }

  static async set(): Promise<Desk> {
    return new Desk(await temporaryDirectory());
  }

  get path(): string {
    return this.#directory.path;
  }

  get runtimeDirectory(): string {
    return join(this.path, 'run');
  }

  /**
   * @param variables of its environment; what is undefined it does not have
   * @param project the folder that it works in
   */
  async openWindow(
    variables: Record<string, string | undefined> = {},
    project = 'project',
    bin = BIN,
  ): Promise<Window> {
    const cwd = join(this.path, project);
    await mkdir(cwd, { recursive: true });
    const settings = { ...packedPool('DEFAULT', 4), PW_MCP_PROXY_SHARED_LINGER: '300' };
    const transport = new ChildTransport({
      command: [process.execPath, bin, '--shared'],
      env: { ...environment(this.path, settings), ...variables },
      cwd,
    });
    const window = new Window(transport);
    this.#windows.push(window);
    return await window.open();
  }

  async runtimeFiles(): Promise<string[]> {
    return await readdir(this.runtimeDirectory);
  }

  async filesOf(project: string): Promise<string[]> {
    return await readdir(join(this.path, project), { recursive: true });
  }

  /** The running servers, as `pwpool status` finds them. */
  async servers() {
    const env = { PWPOOL_RUNTIME_DIR: this.runtimeDirectory };
    return await askStatus({ timeoutMs: 20_000, clock: systemClock, env });
  }

  /** Waits until no process runs any more that has to do with the desk, and returns what they have left. */
  async leftovers(): Promise<string[]> {
    await expect.poll(() => processesIn(this.path), { timeout: 40_000 }).toEqual([]);
    const runtime = await readdir(this.runtimeDirectory);
    return [...runtime, ...(await readdir(this.path)).filter((name) => /^(?:pwpool-|playwright)/.test(name))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#windows.map(({ client }) => client.close()));
    for (const pid of await processesIn(this.path)) process.kill(pid, 'SIGKILL');
    await this.#directory[Symbol.asyncDispose]();
  }
}
