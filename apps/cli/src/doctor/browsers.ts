import { BrowserPools, type InstanceConfig, type PwpoolConfig, PwpoolError } from '@pwpool/core';
import { BROWSERS, systemClock } from '@pwpool/core/internal';
import { probe } from '../browser-probe.js';
import { allLazy } from '../configuration.js';
import type { Finding } from './finding.js';

/** Which browsers are on this machine, whatever is configured. */
export function checkInstalled(): Finding[] {
  const probed = BROWSERS.filter((browser) => !isPreRelease(browser)).map((browser) =>
    probe({ browser, executablePath: undefined }),
  );
  const found = probed.filter((each) => each.found);
  const missing = probed.filter((each) => !each.found).map(({ browser }) => browser);
  const names = found.map(
    ({ browser, executablePath }) => `${browser} (${executablePath ?? "Playwright's own"})`,
  );
  const check = 'browsers';
  if (found.length === 0) {
    const fix = 'Run "npx playwright install chromium", or install Chromium or Chrome.';
    return [{ check, status: 'failure', message: 'None was found on this machine', fix }];
  }
  const others = missing.length === 0 ? '' : `; not found: ${missing.join(', ')}`;
  return [{ check, status: 'ok', message: `found: ${names.join(', ')}${others}` }];
}

/** Playwright finds these itself, when they are started. */
function isPreRelease(browser: string): boolean {
  return /-(?:beta|dev|canary)$/.test(browser);
}

/** Starts a browser of each kind that the configuration has, the way the server would, and closes it again. */
export async function checkBrowsers(config: PwpoolConfig): Promise<Finding[]> {
  const kinds = new Map<string, InstanceConfig>();
  for (const instance of config.pools.flatMap(({ instances }) => instances)) {
    const { browser, executablePath, driver, endpoint, sandbox, headless, isolated } = instance.settings;
    const kind = JSON.stringify([browser, executablePath, driver, endpoint, sandbox, headless, isolated]);
    if (!kinds.has(kind)) kinds.set(kind, instance);
  }
  await using pools = BrowserPools.start(allLazy(config));
  const findings: Finding[] = [];
  // One after the other: a browser that starts beside others tells nothing of itself.
  for (const instance of kinds.values()) findings.push(await start(pools, instance));
  return findings;
}

async function start(pools: BrowserPools, { pool, id, settings }: InstanceConfig): Promise<Finding> {
  const { browser, endpoint } = settings;
  const check = `browser ${browser}`;
  const whom = `instance ${id} of ${pool}`;
  const before = systemClock.now();
  try {
    await using _ = await pools.lease({ pool, instance: id, holder: 'pwpool doctor' });
    const verb = endpoint === undefined ? 'starts' : 'is reached';
    return { check, status: 'ok', message: `${whom} ${verb} in ${systemClock.now() - before} ms` };
  } catch (error) {
    if (!(error instanceof PwpoolError)) throw error;
    return {
      check,
      status: 'failure',
      message: `${whom} does not start: ${error.message}`,
      fix: error.hint ?? 'Correct what the message says, and run pwpool doctor again.',
    };
  }
}
