import type { HandlingTool } from './snapshots/snapshot-in-answer.js';
import { standIn } from './stand-in.js';

/** What upstream's tools have of a page, as far as the target of a call is looked for. */
interface UpstreamPage {
  $(selector: string): Promise<{ dispose(): Promise<void> } | null>;
  locator(selector: string): { count(): Promise<number> };
}

interface UpstreamTab {
  readonly page: UpstreamPage;
  /** What calls act on. Of a selector it asks first whether anything is there, by a handle that it drops. */
  targetLocators(targets: readonly unknown[]): Promise<unknown>;
}

interface UpstreamContext {
  ensureTab(): Promise<UpstreamTab>;
}

/** What upstream does with the handle. */
const SEEN = { dispose: async () => {} };

/**
 * The tools, looking for a target that is a selector without a handle on it. A handle lives in the page's own world: for it
 * Playwright sends all of its script, 300 kB, once more with each document, and evaluates it (decision 0508).
 */
export function checkingTargets(tools: readonly HandlingTool[]): HandlingTool[] {
  return tools.map((tool) => ({
    ...tool,
    handle: (context, ...others) => tool.handle(checkingContext(context as UpstreamContext), ...others),
  }));
}

function checkingContext(context: UpstreamContext): UpstreamContext {
  return standIn(context, { ensureTab: async () => checkingTab(await context.ensureTab()) });
}

function checkingTab(tab: UpstreamTab): UpstreamTab {
  const checking = standIn(tab, { page: checkingPage(tab.page) });
  return standIn(tab, { targetLocators: (targets) => tab.targetLocators.call(checking, targets) });
}

function checkingPage(page: UpstreamPage): UpstreamPage {
  return standIn(page, {
    // What is not there, or cannot be told while the page goes elsewhere, upstream is to tell in its own words.
    $: async (selector) => ((await page.locator(selector).count()) > 0 ? SEEN : await page.$(selector)),
  });
}
