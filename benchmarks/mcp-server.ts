import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { BROWSER_SETTINGS, executablePath } from './browser.js';

/** An MCP server over stdio, as a client's configuration starts it. */
export interface McpServer extends AsyncDisposable {
  readonly processId: number;
  ping(): Promise<void>;
  listTools(): Promise<void>;
  /** @returns the text of the answer; throws it when the tool failed */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

const require = createRequire(import.meta.url);

/** What a client's configuration starts for pwpool. */
export const PWPOOL_MCP = join(dirname(require.resolve('@pwpool/mcp/package.json')), 'bin/pwpool-mcp.js');
export const PLAYWRIGHT_MCP = join(dirname(require.resolve('@playwright/mcp/package.json')), 'cli.js');

/** Isolated, as pwpool is by default. */
export const PLAYWRIGHT_MCP_FLAGS: readonly string[] = [
  ...['--headless', '--isolated', '--no-sandbox'],
  ...['--executable-path', executablePath],
];

/** @param settings variables of pwpool beside those that keep it in its folder */
export async function startPwpool(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<McpServer> {
  const kept = { PWPOOL_RUNTIME_DIR: folder, PW_MCP_PROXY_OUTPUT_DIR: join(folder, 'output') };
  return await start([PWPOOL_MCP], folder, { ...kept, ...BROWSER_SETTINGS, ...settings });
}

export async function startPlaywrightMcp(folder: string): Promise<McpServer> {
  return await start([PLAYWRIGHT_MCP, ...PLAYWRIGHT_MCP_FLAGS], folder, {});
}

async function start(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<McpServer> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TMPDIR: cwd, ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'benchmark', version: '0' });
  await client.connect(transport);
  return {
    processId: transport.pid ?? 0,
    ping: async () => void (await client.ping()),
    listTools: async () => void (await client.listTools()),
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
      const [first] = result.content as { type: string; text?: string }[];
      if (result.isError) throw new Error(first?.text ?? 'The tool failed.');
      return first?.text ?? '';
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}
