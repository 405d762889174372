import { textOf } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';

/** Upstream's tool that runs code in the tool server. For pwpool's own code; agents have it only by ALLOW_UNSAFE_CODE. */
export const RUN_CODE = 'browser_run_code_unsafe';

/** Milliseconds that a page has to answer a trivial question. */
const ANSWER_MS = 3_000;

const OUTCOMES = ['closed', 'stuck'] as const;

/**
 * What `page-recovery.ts` does with a context at hand: stops what every page loads, asks each one something, and closes
 * those that do not answer. Answers `well`, `closed`, or `stuck` when there is a page that could not even be closed.
 */
export const UNBLOCK_PAGES = `async (page) => {
  const within = (work) =>
    Promise.race([work.then(() => true, () => false), new Promise((resolve) => setTimeout(resolve, ${ANSWER_MS}, false))]);
  const browser = page.context().browser();
  const stopLoading = async (page) => {
    if (browser.browserType().name() !== 'chromium') return;
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Page.stopLoading');
    await cdp.detach();
  };
  const unblock = async (page) => {
    if ((await within(stopLoading(page))) && (await within(page.evaluate(() => true)))) return 'well';
    return (await within(page.close())) ? 'closed' : 'stuck';
  };
  const pages = browser.contexts().flatMap((context) => context.pages());
  const found = await Promise.all(pages.map(unblock));
  return ['stuck', 'closed'].find((each) => found.includes(each)) ?? 'well';
}`;

/**
 * What came of `UNBLOCK_PAGES`. The tool refuses while the page shows a dialog, which is for the holder to answer: that
 * is well too.
 */
export function outcomeOfUnblocking(answer: ToolResult): 'well' | 'closed' | 'stuck' {
  const text = textOf(answer);
  return (
    OUTCOMES.find(
      (outcome) => text.startsWith(`### Result\n"${outcome}"`) || text.startsWith(`"${outcome}"`),
    ) ?? 'well'
  );
}

/** Opens a page beside those of the holder, has it drawn, and closes it. */
export const TRY_PAGE = `async (page) => {
  const blank = await page.context().browser().newContext();
  try {
    await (await blank.newPage()).evaluate(() => document.hidden || new Promise(requestAnimationFrame));
  } finally {
    await blank.close();
  }
}`;

/**
 * Leaves one blank page in the profile's context, which is the browser's first, and no other context; undoes what
 * `cleanContext` undoes. Routes are the tool server's, which has its own in the same list: its tool takes them out.
 */
export function closePagesCode(permissions: readonly string[]): string {
  return `async (page) => {
  const [profile, ...others] = page.context().browser().contexts();
  const pages = profile.pages();
  await profile.newPage();
  await Promise.all([...pages, ...others].map((closable) => closable.close()));
  await profile.setOffline(false);
  await profile.setExtraHTTPHeaders({});
  await profile.setGeolocation(null);
  await profile.clearPermissions();
  const permissions = ${JSON.stringify(permissions)};
  if (permissions.length > 0) await profile.grantPermissions(permissions);
}`;
}
