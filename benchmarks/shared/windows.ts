import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PWPOOL_MCP } from '../mcp-server.js';

/** What came of one call: its text, or the code of its error. */
export interface Answer {
  text: string;
  code: string | undefined;
}

/** One window: an MCP client with its `pwpool-mcp`, with or without `--shared`. */
export class Window {
  readonly client = new Client({ name: 'window', version: '1' });
  readonly #transport: StdioClientTransport;

  constructor(env: Record<string, string>, cwd: string, flags: readonly string[]) {
    const args = [PWPOOL_MCP, ...flags];
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd,
      stderr: 'ignore',
    });
  }

  get processId(): number {
    return this.#transport.pid ?? Number.NaN;
  }

  async open(): Promise<this> {
    await this.client.connect(this.#transport);
    return this;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args });
    const content = Array.isArray(result.content) ? result.content : [];
    const text = content.map((part: { text?: string }) => part.text ?? '').join('\n');
    const code = result.isError ? (/^### Error\n(\w+):/.exec(text)?.[1] ?? 'UNKNOWN') : undefined;
    return { text, code };
  }
}

/** A user with a runtime directory of its own, whose windows meet. */
export class User implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<User> {
    return new User(await mkdtemp(join(tmpdir(), 'pwpool-shared-')));
  }

  async open(
    settings: Readonly<Record<string, string>> = {},
    flags: readonly string[] = ['--shared'],
  ): Promise<Window> {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:PW|PLAYWRIGHT_MCP_)/.test(name));
    const given = Object.entries(settings).map(([key, value]) => [`PW_MCP_PROXY_${key}`, value]);
    const env = {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      ...(Object.fromEntries(given) as Record<string, string>),
      TMPDIR: this.path,
      XDG_DATA_HOME: join(this.path, 'data'),
      PWPOOL_RUNTIME_DIR: join(this.path, 'run'),
    };
    return await new Window(env, this.path, flags).open();
  }

  /** The process of the shared server that answers, if one does. */
  async serverProcess(): Promise<number | undefined> {
    const found = await this.processes('--shared-server');
    return found[0];
  }

  /** Processes of this user that have the word in their command line. Linux only. */
  async processes(word: string): Promise<number[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      ids.map(async (id) => {
        const read = (file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
        const [environ, cmdline] = [await read('environ'), await read('cmdline')];
        return environ.includes(this.path) && cmdline.includes(word) ? [Number(id)] : [];
      }),
    );
    return found.flat();
  }

  /** What is left of servers and browsers in the directories of this user. */
  async leftovers(): Promise<string[]> {
    const run = await readdir(join(this.path, 'run'));
    const scratch = (await readdir(this.path)).filter((name) => /^(?:pwpool-|playwright)/.test(name));
    return [...run, ...scratch];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of await this.processes('')) kill(pid);
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}
