import type { ServerSettings } from '../config/model.js';
import { type Violation, violationsOfWork } from '../config/violations.js';
import { PlaywrightToolset } from './playwright-toolset.js';
import type { Toolset } from './toolset.js';

/**
 * The browser tools that the configuration chooses (`TOOLSET`). Needs neither a browser nor Playwright.
 * @throws PwpoolError `CONFIG_INVALID` for a pattern of `TOOLS_ALLOW` or `TOOLS_DENY` that matches no tool
 */
export async function loadToolset(settings: ServerSettings): Promise<Toolset> {
  if (settings.toolset === 'playwright') return await PlaywrightToolset.load(settings);
  // With it comes what its schemas are written in.
  const { CompactToolset } = await import('./compact-toolset.js');
  return await CompactToolset.load(settings);
}

/** Every fault of such settings; none of those that `loadToolset` takes. */
export async function inspectToolset(settings: ServerSettings): Promise<readonly Violation[]> {
  return await violationsOfWork(() => loadToolset(settings));
}
