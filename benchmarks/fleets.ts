import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { executablePath } from './browser.js';
import { type McpServer, startPlaywrightMcp, startPwpool } from './mcp-server.js';

const RAW_PLAYWRIGHT = fileURLToPath(new URL('raw-playwright.mjs', import.meta.url));

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

/** pwpool behind one stdio connection, each caller with an instance of its own. */
export function pwpool(contextsPerBrowser: number): Fleet {
  const name =
    contextsPerBrowser === 1 ? 'pwpool, a browser each' : `pwpool, ${contextsPerBrowser} contexts a browser`;
  return {
    name,
    async open(count, pageUrl, folder) {
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
      const server = await startPwpool(folder, env);
      const target = (caller: number) => ({ browser_instance: String(caller) });
      const callers = Array.from({ length: count }, (_, caller) => caller);
      await Promise.all(
        callers.map((caller) => server.call('browser_navigate', { url: pageUrl(caller), ...target(caller) })),
      );
      return {
        processIds: [server.processId],
        titleOf: async (caller) => await titleOf(server, target(caller)),
        [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
      };
    },
  };
}

/** A `playwright-mcp` process for each caller, as their configurations start them today. */
export const playwrightMcp: Fleet = {
  name: 'playwright-mcp, a process each',
  async open(count, pageUrl, folder) {
    const servers = await Promise.all(
      Array.from({ length: count }, async (_, caller) => {
        const server = await startPlaywrightMcp(folder);
        await server.call('browser_navigate', { url: pageUrl(caller) });
        return server;
      }),
    );
    return {
      processIds: servers.map(({ processId }) => processId),
      async titleOf(caller) {
        const server = servers[caller];
        return server ? await titleOf(server, {}) : '';
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      },
    };
  },
};

/** A program with Playwright and no server, which starts the same browser with Playwright's own command line. */
export function rawPlaywright(browsers: 'each' | 'packed'): Fleet {
  return {
    name: `raw Playwright, ${browsers === 'each' ? 'a browser each' : 'contexts of one browser'}`,
    async open(count, pageUrl, folder) {
      const urls = Array.from({ length: count }, (_, caller) => pageUrl(caller));
      const child = spawn(process.execPath, [RAW_PLAYWRIGHT, browsers, executablePath, ...urls], {
        cwd: folder,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      const [line = '[]'] = await once(createInterface(child.stdout), 'line');
      const titles: string[] = JSON.parse(line);
      return {
        processIds: [child.pid ?? 0],
        titleOf: async (caller) => titles[caller] ?? '',
        async [Symbol.asyncDispose]() {
          child.stdin.end();
          await ended;
        },
      };
    },
  };
}

async function titleOf(server: McpServer, target: Readonly<Record<string, unknown>>): Promise<string> {
  return /Page Title: (.*)/.exec(await server.call('browser_snapshot', target))?.[1] ?? '';
}
