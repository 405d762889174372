import type { BrowserContext, Frame, Page } from 'playwright';
import type { Clock } from '../clock.js';
import { textOf, withLine, withText } from '../connection/answer-text.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { within } from '../waiting/deadline.js';
import { watchFields } from './field-watch.js';
import type { OpenModals } from './open-modals.js';
import { ReloadLoops } from './reload-loops.js';
import { navigates, openedAddress, traitsOf } from './tool-table.js';

/** Upstream's tools, as they are. */
type CallTool = (name: string, args: ToolArguments) => Promise<ToolResult>;

/** The browser that upstream works in, where it can be reached. */
export interface MendedBrowser {
  readonly context: BrowserContext;
  /** The page that upstream works in at the moment. */
  readonly currentPage: Page | undefined;
  readonly modals: OpenModals;
  readonly clock: Clock;
}

type Mend = (call: CallTool, args: ToolArguments, at: MendedBrowser | undefined) => Promise<ToolResult>;

/** Milliseconds that a page has for what is asked of it beside a call. */
const ANSWER_MS = 1_000;

/** Milliseconds that the browser has to show its error page, behind the answer of the navigation that failed. */
const ERROR_PAGE_MS = 5_000;

/** Dialogs in a row that are dismissed; a page that then opens another is in a loop. */
const MAX_DIALOGS = 3;

/** Navigations that a page is left by when it reloads at that moment. */
const MAX_NAVIGATIONS = 5;

/** Milliseconds in which a page that has just begun to reload itself shows its document again. */
const RELOAD_MS = 500;

const ERROR_PAGE = /^chrome-error:/;

/** What upstream answers as success, or fails in, although its users mean something else. */
const MENDS: Readonly<Record<string, Mend>> = {
  browser_navigate: navigate,
  browser_tabs: manageTabs,
  browser_type: (call, args, at) => fill(call, 'browser_type', args, [args['text']], at),
  browser_fill_form: (call, args, at) => fill(call, 'browser_fill_form', args, valuesOf(args['fields']), at),
};

/** Runs one of upstream's tools, with its faults mended that its users meet. */
export async function callMended(
  call: CallTool,
  name: string,
  args: ToolArguments,
  at?: MendedBrowser,
): Promise<ToolResult> {
  const given = withTrimmedAddress(name, args);
  const mend = Object.hasOwn(MENDS, name) ? MENDS[name] : undefined;
  const run = async () => (mend ? await mend(call, given, at) : await call(name, given));
  // A script of the caller's may load what it likes as often as it likes.
  if (!at || traitsOf(name)?.unsafe) return await run();
  const opened = openedAddress(name, given);
  const last = at.currentPage?.url();
  const left = opened === undefined || opened === last ? undefined : last;
  await using loops = new ReloadLoops(at.context, at.clock, left);
  // A document that was about to reload is never done loading, and a navigation would go on waiting for that.
  const read = async () => {
    await loops.broken;
    return await call('browser_snapshot', {});
  };
  const answer = () => (navigates(name, given) ? Promise.race([run(), read()]) : run());
  let result = await answer();
  let reloads = false;
  for (let count = 1; count < MAX_NAVIGATIONS && left !== undefined && result.isError; count++) {
    const page = at.currentPage;
    if (page?.url() !== left) break;
    reloads ||= loops.found || isInterruptedBy(left, result) || (await isReload(page, result, at.clock));
    if (!reloads) break;
    await within(at.clock, ANSWER_MS, () => page.evaluate(stopReloads).catch(() => {}));
    result = await answer();
  }
  if (!loops.found) return result;
  return withLine(result, 'The page kept reloading itself, so that was stopped for this answer.');
}

/** Runs in a page that is being left, so that it does not load itself again meanwhile. */
function stopReloads(): void {
  const last = window.setTimeout(() => {});
  for (let id = 1; id <= last; id++) window.clearTimeout(id);
  window.stop();
}

/** Upstream puts `https://` before an address that begins with a space. */
function withTrimmedAddress(name: string, args: ToolArguments): ToolArguments {
  const key = traitsOf(name)?.address;
  const address = key === undefined ? undefined : args[key];
  return key !== undefined && typeof address === 'string' ? { ...args, [key]: address.trim() } : args;
}

/**
 * Upstream answers success and does nothing while a dialog or a file chooser is open: who navigates has no use for it.
 *
 * The error page of a navigation that failed comes after the answer, and would end the next navigation: it is waited for.
 */
async function navigate(
  call: CallTool,
  args: ToolArguments,
  at: MendedBrowser | undefined,
): Promise<ToolResult> {
  if (!at) return await call('browser_navigate', args);
  const page = at.currentPage;
  const dismissed = page ? await dismissModals(call, page, at) : undefined;
  using errorPage = page && new ErrorPage(page);
  let result = await call('browser_navigate', args);
  // The page was opened, or open already, and has reloaded itself since.
  const url = String(args['url']);
  const isOpen = page?.url() === url && (await isReload(page, result, at.clock));
  if (isOpen || isInterruptedBy(url, result)) result = await call('browser_snapshot', {});
  if (result.isError && /net::ERR_(?!ABORTED)/.test(textOf(result)))
    await within(
      at.clock,
      ERROR_PAGE_MS,
      async () => await (errorPage?.shown ?? at.currentPage?.waitForURL(ERROR_PAGE)),
    );
  return dismissed === undefined ? result : withLine(result, dismissed);
}

/** Whether a page at that address reloaded itself while the navigation was under way. */
function isInterruptedBy(url: string, result: ToolResult): boolean {
  return (
    (result.isError ?? false) && textOf(result).includes(`interrupted by another navigation to "${url}"`)
  );
}

/** Whether a navigation ended because the page that it began at reloaded itself, not because it brought no page. */
async function isReload(page: Page, result: ToolResult, clock: Clock): Promise<boolean> {
  if (!textOf(result).includes('net::ERR_ABORTED')) return false;
  const reload = await within(clock, RELOAD_MS, () =>
    page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame()).catch(() => undefined),
  );
  return reload !== undefined;
}

/** Tells when the browser shows its error page in place of the one that it could not open. */
class ErrorPage implements Disposable {
  readonly shown: Promise<void>;
  readonly #stop: () => void;

  constructor(page: Page) {
    let stop = () => {};
    this.shown = new Promise((resolve) => {
      const onNavigated = (frame: Frame) => {
        if (frame === page.mainFrame() && ERROR_PAGE.test(frame.url())) resolve();
      };
      page.on('framenavigated', onNavigated);
      stop = () => page.off('framenavigated', onNavigated);
    });
    this.#stop = stop;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}

/** @returns what was dismissed, in a sentence for the caller */
async function dismissModals(
  call: CallTool,
  page: Page,
  { modals, clock }: MendedBrowser,
): Promise<string | undefined> {
  if (modals.takeChooser(page)) {
    const { isError } = await call('browser_file_upload', {});
    if (!isError) return 'The file chooser that was open was cancelled first.';
  }
  let dialogs = 0;
  while (modals.dialogIn(page) && dialogs < MAX_DIALOGS) {
    await call('browser_handle_dialog', { accept: false });
    dialogs++;
  }
  if (dialogs === 0) return undefined;
  if (!modals.dialogIn(page)) return 'The dialog that was open was dismissed first.';
  // It comes again for as long as the page is there.
  await call('browser_tabs', { action: 'new' });
  await within(clock, ANSWER_MS, () => page.close());
  return 'The page opened dialogs without end, so its tab was closed and a new one opened.';
}

/** Adds the action `close_others`, and says what is the case when there is no tab to close. */
async function manageTabs(call: CallTool, args: ToolArguments): Promise<ToolResult> {
  if (args['action'] !== 'close_others') {
    const result = await call('browser_tabs', args);
    return withText(result, (text) =>
      text.replace('Tab undefined not found', 'There is no open tab to close.'),
    );
  }
  let result = await call('browser_tabs', { action: 'list' });
  const tabs = [...textOf(result).matchAll(/^- (\d+):( \(current\))?/gm)];
  // From the last one on, so that the indices of those before it stay.
  for (const [, index, current] of tabs.reverse()) {
    if (current === undefined && !result.isError)
      result = await call('browser_tabs', { action: 'close', index: Number(index) });
  }
  return result;
}

/** Upstream answers success when a field drops a value that is not of its form: that is a failure. */
async function fill(
  call: CallTool,
  tool: string,
  args: ToolArguments,
  values: readonly unknown[],
  at: MendedBrowser | undefined,
): Promise<ToolResult> {
  const page = at?.currentPage;
  if (!at || !page || at.modals.dialogIn(page)) return await call(tool, args);
  const watch = await within(at.clock, ANSWER_MS, () => watchFields(page));
  const result = await call(tool, args);
  if (!watch || at.modals.dialogIn(page)) return result;
  const given = values.filter((value) => typeof value === 'string');
  const refusals = await within(at.clock, ANSWER_MS, () => watch.refusals(given));
  if (result.isError || !refusals || refusals.length === 0) return result;
  const failed = withText(result, (text) => `### Error\n${refusals.join('\n')}\n${text}`);
  return { ...failed, isError: true };
}

function valuesOf(fields: unknown): unknown[] {
  return Array.isArray(fields) ? fields.map((field: Record<string, unknown>) => field['value']) : [];
}
