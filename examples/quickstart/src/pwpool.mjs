import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** The server's executable, as an agent's client would be configured with it. */
export const serverPath = join(
  dirname(createRequire(import.meta.url).resolve('@pwpool/mcp/package.json')),
  'bin/pwpool-mcp.js',
);

/**
 * Starts a pwpool server as a child and connects to it over stdio. `client.close()` ends both.
 * @param {{ config: Record<string, string>, directory: string, logFile: string, signal: AbortSignal }} options
 *   `config` is all the configuration the server gets: pwpool's settings in this process's environment are left out
 * @returns {Promise<Client>}
 */
export async function startPwpool({ config, directory, logFile, signal }) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PW_MCP_PROXY_'));
  const log = openSync(logFile, 'w');
  try {
    const client = new Client({ name: 'pwpool-quickstart', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [serverPath],
      env: { ...Object.fromEntries(inherited), ...config },
      cwd: directory,
      stderr: log,
    });
    await client.connect(transport, { signal });
    return client;
  } finally {
    closeSync(log);
  }
}

/** One browser session of a server, and how many tools it has called. */
export class BrowserSession {
  calls = 0;
  #client;
  #sessionId;
  #signal;

  /** @param {AbortSignal} signal ends every call of the session */
  constructor(client, sessionId, signal) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#signal = signal;
  }

  /** Calls a tool for this session; throws an Error with the tool's own text when the tool failed. */
  async call(tool, args = {}) {
    this.calls += 1;
    const result = await this.#client.callTool(
      { name: tool, arguments: { sessionId: this.#sessionId, ...args } },
      undefined,
      { signal: this.#signal },
    );
    if (result.isError) throw new Error(`${tool} failed in session ${this.#sessionId}: ${textOf(result)}`);
    return result;
  }

  /** The page as a YAML tree of roles and names. */
  async snapshot() {
    return textOf(await this.call('browser_snapshot'));
  }

  /** The page as the bytes of a PNG. */
  async screenshot() {
    const { content } = await this.call('browser_take_screenshot', { type: 'png', scale: 'css' });
    const image = content.find((part) => part.type === 'image');
    if (!image) throw new Error(`browser_take_screenshot answered no image in session ${this.#sessionId}`);
    return Buffer.from(image.data, 'base64');
  }
}

function textOf({ content }) {
  const texts = content.filter((part) => part.type === 'text').map((part) => part.text);
  return texts.join('\n');
}
