import { discoverBrowser } from '@pwpool/core/internal';
import { type Browser, chromium } from 'playwright';

const VARIABLE = 'PW_MCP_PROXY_EXECUTABLE_PATH';
const configured = process.env[VARIABLE];

/** What pwpool is told of the browser: with nothing set it looks for one itself. */
export const BROWSER_SETTINGS: Readonly<Record<string, string>> =
  configured === undefined ? {} : { [VARIABLE]: configured };

/** The program of the other contenders, which is the one that pwpool runs. */
export const executablePath =
  discoverBrowser({ browser: 'chromium', executablePath: configured }).executablePath ??
  chromium.executablePath();

/** By Playwright alone. */
export async function launch(): Promise<Browser> {
  return await chromium.launch({ executablePath });
}
