import type { BrowserContext } from 'playwright';

/**
 * Undoes what a holder set for a whole context that is to go on, as that of a profile on disk does. Cookies and storage are
 * the profile's, and stay. What cannot be taken back is what its own code
 * added to every page to come (`addInitScript`, `exposeBinding`), and the empty layer of Playwright's recorder in them: for
 * that the instance has to be isolated.
 */
export async function cleanContext(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.setExtraHTTPHeaders({});
  await context.setGeolocation(null);
  await context.clearPermissions();
}
