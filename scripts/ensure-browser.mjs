import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run } from './run.mjs';
import { ROOT } from './workspace.mjs';

const PLAYWRIGHT = join(ROOT, 'packages/core/node_modules/.bin/playwright');
const INSTALL_LIMIT_MS = 300_000;

/** How root gets the system's own browsers, with a font to draw pages with. */
const SYSTEMS = [
  {
    manager: '/usr/bin/apt-get',
    prepare: [['update']],
    install: ['install', '-y', '--no-install-recommends'],
    packages: { chromium: ['chromium', 'fonts-liberation'], firefox: ['firefox-esr', 'fonts-liberation'] },
  },
  {
    manager: '/usr/bin/dnf',
    prepare: [],
    install: ['install', '-y'],
    packages: { chromium: ['chromium', 'liberation-fonts'], firefox: ['firefox', 'liberation-fonts'] },
  },
  {
    manager: '/sbin/apk',
    prepare: [],
    install: ['add'],
    packages: { chromium: ['chromium', 'font-liberation'], firefox: ['firefox-esr', 'font-liberation'] },
  },
];

const ADVICE = {
  chromium:
    'Install Chromium, Chrome or Edge (on Debian, as root: apt-get install chromium), or set ' +
    'PW_MCP_PROXY_EXECUTABLE_PATH to one, and run this again.',
  firefox:
    'The tests need one. Install Firefox (on Debian, as root: apt-get install firefox-esr), so that "firefox-esr" or ' +
    '"firefox" is on PATH, and run this again.',
};

/** Sees to it that pwpool finds a Chromium on this machine, installing one where it can. */
export async function ensureBrowser() {
  await ensure('chromium', [downloadBrowser, installSystemBrowser]);
}

/**
 * The same for the Firefox of the tests. The system's own comes first: it is what most people have, and it is
 * driven in another way than Playwright's, which is the way that the tests are to show.
 */
export async function ensureFirefox() {
  await ensure('firefox', [installSystemBrowser, downloadBrowser]);
}

/** Where browsers are looked for is the library's business, so it must have been built before. */
async function ensure(browser, ways) {
  const { discoverBrowser } = await import('@pwpool/core/internal');
  // The variable is for all pools, whose browser is Chromium unless they say otherwise.
  const executablePath = browser === 'chromium' ? process.env.PW_MCP_PROXY_EXECUTABLE_PATH : undefined;
  const reasons = [];
  for (const install of [() => {}, ...ways]) {
    try {
      await install(browser);
      discoverBrowser({ browser, executablePath });
      return;
    } catch (error) {
      if (!(error instanceof CommandFailed) && error.code !== 'BROWSER_NOT_READY') throw error;
      // A wrong setting is for its owner to correct; another browser would only hide it.
      if (executablePath !== undefined) throw new CommandFailed(`${error.message} ${error.hint}`);
      reasons.push(error.message);
    }
  }
  throw new CommandFailed(`${reasons.join('\n')}\n\nNo ${browser} could be installed. ${ADVICE[browser]}`);
}

async function downloadBrowser(browser) {
  console.log(`Downloading Playwright's ${browser} ...`);
  // The headless shell is not what pwpool runs.
  await run(PLAYWRIGHT, ['install', '--no-shell', browser], { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
  // A bare Linux lacks libraries that the download needs.
  if (isRoot())
    await run(PLAYWRIGHT, ['install-deps', browser], { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
}

async function installSystemBrowser(browser) {
  const system = SYSTEMS.find(({ manager }) => existsSync(manager));
  if (!system || !isRoot())
    throw new CommandFailed("The system's package manager was not asked: it needs root.");
  const { manager, prepare, install, packages } = system;
  console.log(`Installing the system's ${browser} with ${manager} ...`);
  for (const args of [...prepare, [...install, ...packages[browser]]]) {
    await run(manager, args, { quiet: true, timeoutMs: INSTALL_LIMIT_MS });
  }
}

function isRoot() {
  return process.platform === 'linux' && process.getuid() === 0;
}
