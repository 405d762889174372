import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright';
import { Browser, startServer, textOf } from './browser.mjs';

const require = createRequire(import.meta.url);

/**
 * Starts plain playwright-mcp with the same browser and the same settings as pwpool has with nothing configured. Which
 * browser that is, `npm start` of the repository says; else it is Playwright's own.
 */
export async function startPlaywrightMcp(options) {
  const manifest = require.resolve('@playwright/mcp/package.json');
  const executablePath = process.env.PW_MCP_PROXY_EXECUTABLE_PATH ?? chromium.executablePath();
  const flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', executablePath];
  return await startServer({
    ...options,
    args: [join(dirname(manifest), 'cli.js'), ...flags],
    env: process.env,
  });
}

/** The one browser that such a server has: the next user may have it when the last one has closed it. */
export class OnlyBrowser extends Browser {
  constructor(client, signal) {
    super(client, {}, signal);
  }

  async open() {
    return 'the only one';
  }

  /** The page has to be asked for. */
  async click(target) {
    await this.call('browser_click', { target });
    return textOf(await this.call('browser_snapshot'));
  }

  async close() {
    await this.call('browser_close');
  }
}
