import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run } from './run.mjs';
import { ROOT } from './workspace.mjs';

const PLAYWRIGHT = join(ROOT, 'packages/core/node_modules/.bin/playwright');
const INSTALL_LIMIT_MS = 300_000;

/** How root gets the system's own Chromium, with a font to draw pages with. */
const SYSTEM_PACKAGES = [
  {
    manager: '/usr/bin/apt-get',
    steps: [['update'], ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation']],
  },
  { manager: '/usr/bin/dnf', steps: [['install', '-y', 'chromium', 'liberation-fonts']] },
  { manager: '/sbin/apk', steps: [['add', 'chromium', 'font-liberation']] },
];

/**
 * Sees to it that pwpool finds a Chromium on this machine, installing one where it can.
 * Where browsers are looked for is the library's business, so it must have been built before.
 */
export async function ensureBrowser() {
  const { discoverBrowser } = await import('@pwpool/core');
  const executablePath = process.env.PW_MCP_PROXY_EXECUTABLE_PATH;
  const reasons = [];
  for (const install of [() => {}, downloadBrowser, installSystemBrowser]) {
    try {
      await install();
      discoverBrowser({ browser: 'chromium', executablePath });
      return;
    } catch (error) {
      if (!(error instanceof CommandFailed) && error.code !== 'BROWSER_NOT_READY') throw error;
      // A wrong setting is for its owner to correct; another browser would only hide it.
      if (executablePath !== undefined) throw new CommandFailed(`${error.message} ${error.hint}`);
      reasons.push(error.message);
    }
  }
  throw new CommandFailed(
    `${reasons.join('\n')}\n\nNo browser could be installed. Install Chromium, Chrome or Edge (on Debian, as root: ` +
      'apt-get install chromium), or set PW_MCP_PROXY_EXECUTABLE_PATH to one, and run this again.',
  );
}

async function downloadBrowser() {
  console.log("No browser found: downloading Playwright's Chromium ...");
  await run(PLAYWRIGHT, ['install', 'chromium'], { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
  // A bare Linux lacks libraries that the download needs.
  if (isRoot())
    await run(PLAYWRIGHT, ['install-deps', 'chromium'], { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
}

async function installSystemBrowser() {
  const system = SYSTEM_PACKAGES.find(({ manager }) => existsSync(manager));
  if (!system || !isRoot())
    throw new CommandFailed("The system's package manager was not asked: it needs root.");
  console.log(`The download failed: installing the system's Chromium with ${system.manager} ...`);
  for (const args of system.steps) {
    await run(system.manager, args, { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
  }
}

function isRoot() {
  return process.platform === 'linux' && process.getuid() === 0;
}
