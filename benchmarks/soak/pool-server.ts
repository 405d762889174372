import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PWPOOL_MCP } from '../mcp-server.js';

const COLLECT_GARBAGE = new URL('collect-garbage.mjs', import.meta.url).href;

/** What came of one call: its text, or the code of its error. */
export interface Answer {
  text: string;
  code: string | undefined;
  elapsedMs: number;
}

/** A `pwpool-mcp` under test, in a process of its own, spoken to as an agent does. */
export class PoolServer implements AsyncDisposable {
  readonly #transport: StdioClientTransport;
  readonly #client = new Client({ name: 'soak', version: '0' });
  /** The end of what the server wrote to stderr. */
  log = '';

  /** @param settings `PW_MCP_PROXY_…` without the prefix */
  constructor(folder: string, settings: Readonly<Record<string, string | number>>) {
    const variables = Object.entries(settings).map(([key, value]) => [`PW_MCP_PROXY_${key}`, String(value)]);
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--expose-gc', '--import', COLLECT_GARBAGE, PWPOOL_MCP],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TMPDIR: folder,
        PWPOOL_RUNTIME_DIR: folder,
        ...Object.fromEntries(variables),
      },
      stderr: 'pipe',
    });
    this.#transport.stderr?.on('data', (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-4_000);
    });
  }

  get processId(): number {
    return this.#transport.pid ?? 0;
  }

  async start(): Promise<void> {
    await this.#client.connect(this.#transport);
  }

  /** Rejects when there is no answer within `timeoutMs`: the server hangs. */
  async call(name: string, args: Record<string, unknown>, timeoutMs: number): Promise<Answer> {
    const begin = performance.now();
    const result = await this.#client.callTool({ name, arguments: args }, undefined, { timeout: timeoutMs });
    const structured = result.structuredContent as { error?: { code?: string } } | undefined;
    const text = (result.content as { text?: string }[]).map((part) => part.text ?? '').join('\n');
    const code = result.isError ? (structured?.error?.code ?? 'UNKNOWN') : undefined;
    return { text, code, elapsedMs: performance.now() - begin };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
