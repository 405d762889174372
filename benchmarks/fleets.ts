import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { discoverBrowser } from '@pwpool/core/internal';

/** Browsers that N callers have, each one its own, behind one process or several. */
export interface Fleet {
  readonly name: string;
  /** Starts what is needed for `count` callers and opens a page for each, all at once. */
  open(count: number, pageUrl: (caller: number) => string, folder: string): Promise<OpenFleet>;
}

export interface OpenFleet extends AsyncDisposable {
  /** The processes that the callers' MCP configuration would start. */
  readonly processIds: readonly number[];
  /** What the page of a caller says that its title is. */
  titleOf(caller: number): Promise<string>;
}

const require = createRequire(import.meta.url);

/** pwpool behind one stdio connection, each caller with an instance of its own. */
export function pwpool(contextsPerBrowser: number): Fleet {
  const name =
    contextsPerBrowser === 1 ? 'pwpool, a browser each' : `pwpool, ${contextsPerBrowser} contexts a browser`;
  return {
    name,
    async open(count, pageUrl, folder) {
      const server = join(dirname(require.resolve('@pwpool/mcp/package.json')), 'bin/pwpool-mcp.js');
      const settings = {
        INSTANCES: count,
        IS_DEFAULT: true,
        ISOLATED: true,
        CONTEXTS_PER_BROWSER: contextsPerBrowser,
        LAZY: true,
        START_CONCURRENCY: 16,
      };
      const env = Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [`PW_MCP_PROXY__BENCH_${key}`, String(value)]),
      );
      const member = await connect([server], folder, {
        ...env,
        PWPOOL_RUNTIME_DIR: folder,
        PW_MCP_PROXY_OUTPUT_DIR: folder,
      });
      const target = (caller: number) => ({ browser_instance: String(caller) });
      const callers = Array.from({ length: count }, (_, caller) => caller);
      await Promise.all(callers.map((caller) => member.navigate(pageUrl(caller), target(caller))));
      return {
        processIds: [member.processId],
        titleOf: async (caller) => await member.title(target(caller)),
        [Symbol.asyncDispose]: member.close,
      };
    },
  };
}

/** A `playwright-mcp` process for each caller, as their configurations start them today. */
export const playwrightMcp: Fleet = {
  name: 'playwright-mcp, a process each',
  async open(count, pageUrl, folder) {
    const cli = join(dirname(require.resolve('@playwright/mcp/package.json')), 'cli.js');
    const { executablePath } = discoverBrowser({ browser: 'chromium' });
    const browser = executablePath === undefined ? [] : ['--executable-path', executablePath];
    const args = [cli, '--headless', '--isolated', '--no-sandbox', ...browser];
    const members = await Promise.all(
      Array.from({ length: count }, async (_, caller) => {
        const member = await connect(args, folder, {});
        await member.navigate(pageUrl(caller), {});
        return member;
      }),
    );
    return {
      processIds: members.map(({ processId }) => processId),
      titleOf: async (caller) => (await members[caller]?.title({})) ?? '',
      async [Symbol.asyncDispose]() {
        await Promise.all(members.map(({ close }) => close()));
      },
    };
  },
};

async function connect(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TMPDIR: cwd, ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'benchmark', version: '0' });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    const [first] = result.content as { type: string; text?: string }[];
    if (result.isError) throw new Error(first?.text ?? 'The tool failed.');
    return first?.text ?? '';
  };
  return {
    processId: transport.pid ?? 0,
    navigate: async (url: string, target: Record<string, unknown>) =>
      void (await call('browser_navigate', { url, ...target })),
    title: async (target: Record<string, unknown>) =>
      /Page Title: (.*)/.exec(await call('browser_snapshot', target))?.[1] ?? '',
    close: async () => await client.close(),
  };
}
