import type { BrowserContext, BrowserContextOptions } from 'playwright';

/**
 * Undoes what a holder set for a whole context that is to go on, as that of a profile on disk does: `options` hold
 * again. Cookies and storage are the profile's, and stay. What cannot be taken back is what its own code added to every
 * page to come (`addInitScript`, `exposeBinding`), and the empty layer of Playwright's recorder in them: for that the
 * instance has to be isolated.
 */
export async function cleanContext(context: BrowserContext, options: BrowserContextOptions): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(options.offline ?? false);
  await context.setExtraHTTPHeaders(options.extraHTTPHeaders ?? {});
  await context.setGeolocation(options.geolocation ?? null);
  await context.clearPermissions();
  if (options.permissions) await context.grantPermissions(options.permissions);
}
