import { createRequire } from 'node:module';
import type { BrowserType } from 'playwright';
import type { BrowserName } from '../../config/keys.js';
import { findFormerReferences } from '../../upstream/references/former-references.js';

type Engine = 'chromium' | 'firefox' | 'webkit';

/** What a browser is to Playwright. */
export function engineOf(browser: BrowserName): Engine {
  return browser === 'firefox' || browser === 'webkit' ? browser : 'chromium';
}

/**
 * What launches a browser and attaches to it.
 *
 * Playwright takes longer to load than everything else here together, and commands like `pwpool status` do without: so
 * it is loaded when it is first wanted. By `require`, because an import begins with searching all of it for exported
 * names.
 */
export function browserType(browser: BrowserName): BrowserType {
  const require = createRequire(import.meta.url);
  const playwright = require('playwright') as typeof import('playwright');
  findFormerReferences(playwright.selectors);
  return playwright[engineOf(browser)];
}

/** Where Playwright's download of Chromium's headless shell is, if it is there; empty on a platform that has none. */
export function headlessShellPath(): string {
  const require = createRequire(import.meta.url);
  const { registry } = require('playwright-core/lib/coreBundle') as { registry: { registry: Registry } };
  return registry.registry.findExecutable('chromium-headless-shell')?.executablePath() ?? '';
}

/** As far as it is used here. */
interface Registry {
  findExecutable(name: string): { executablePath(): string | undefined } | undefined;
}
