import { closeSync, openSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/**
 * Starts an MCP server as a child and connects to it over stdio. `client.close()` ends both.
 * @param {{ args: string[], env: Record<string, string>, directory: string, logFile: string, signal: AbortSignal }} options
 *   `args`: the server's script, and what it is started with
 * @returns {Promise<Client>}
 */
export async function startServer({ args, env, directory, logFile, signal }) {
  const log = openSync(logFile, 'w');
  try {
    const client = new Client({ name: 'pwpool-quickstart', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd: directory,
      stderr: log,
    });
    await client.connect(transport, { signal });
    return client;
  } finally {
    closeSync(log);
  }
}

/**
 * The browser tools of a server, which are the same in pwpool and playwright-mcp, and how many were called. Each server has a
 * subclass, with a `click(target)` that gives the page as it is then: a YAML tree of roles and names.
 */
export class Browser {
  calls = 0;
  #client;
  #target;
  #signal;

  /**
   * @param {Record<string, string>} target arguments of every call that say which browser it is for
   * @param {AbortSignal} signal ends every call
   */
  constructor(client, target, signal) {
    this.#client = client;
    this.#target = target;
    this.#signal = signal;
  }

  /** Calls a tool; throws an Error with the tool's own text when the tool failed. */
  async call(tool, args = {}) {
    this.calls += 1;
    const result = await this.#client.callTool(
      { name: tool, arguments: { ...this.#target, ...args } },
      undefined,
      { signal: this.#signal },
    );
    if (result.isError) throw new Error(`${tool} failed: ${textOf(result)}`);
    return result;
  }

  /** The page as the bytes of a PNG. */
  async screenshot() {
    const { content } = await this.call('browser_take_screenshot', { type: 'png', scale: 'css' });
    const image = content.find((part) => part.type === 'image');
    if (!image) throw new Error('browser_take_screenshot answered no image.');
    return Buffer.from(image.data, 'base64');
  }
}

export function textOf({ content }) {
  const texts = content.filter((part) => part.type === 'text').map((part) => part.text);
  return texts.join('\n');
}
