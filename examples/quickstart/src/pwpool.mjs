import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Browser, startServer, textOf } from './browser.mjs';

/** The server's executable, as an agent's client would be configured with it. */
export const serverPath = join(
  dirname(createRequire(import.meta.url).resolve('@pwpool/mcp/package.json')),
  'bin/pwpool-mcp.js',
);

/** Starts pwpool with nothing configured but which browser to run, if this process has that in its environment. */
export async function startPwpool(options) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PW_MCP_PROXY_') || name === 'PW_MCP_PROXY_EXECUTABLE_PATH',
  );
  return await startServer({ ...options, args: [serverPath], env: Object.fromEntries(inherited) });
}

/** A session of pwpool's: a browser of its own for whoever names it. */
export class PooledBrowser extends Browser {
  constructor(client, sessionId, signal) {
    super(client, { sessionId }, signal);
  }

  /** @returns which browser it is */
  async open() {
    const { structuredContent } = await this.call('start_browser');
    return `${structuredContent.browser_pool}/${structuredContent.browser_instance}`;
  }

  /** The page is in the answer. */
  async click(target) {
    return textOf(await this.call('browser_click', { target }));
  }

  async close() {
    await this.call('close_session');
  }
}
