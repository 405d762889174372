import type { Page } from 'playwright';
import type { Clock } from '../../clock.js';
import type { HandlingTool } from '../snapshots/snapshot-in-answer.js';
import { standIn } from '../stand-in.js';
import { complete } from './completion.js';
import { PageWatches } from './page-watch.js';

/** What upstream's tools have of a tab, as far as waiting goes. */
interface UpstreamTab {
  readonly page: Page;
  /** Dialogs and file choosers that are open: nothing is done, and nothing waited for, while one is. */
  modalStates(): readonly unknown[];
  once(event: 'modalState', listener: () => void): void;
  off(event: 'modalState', listener: () => void): void;
  /** Runs what a tool does to the page, and waits for what that sets going. */
  waitForCompletion(action: () => Promise<void>): Promise<void>;
}

interface UpstreamContext {
  ensureTab(): Promise<UpstreamTab>;
}

/**
 * The tools, waiting after an action until the page is at rest, at most as long as upstream would. They see the tab that
 * they work in with a `waitForCompletion` of pwpool's; all else of it, and of their answers, is upstream's.
 *
 * @param pauseMs how long upstream pauses after an action, in milliseconds
 */
export function settlingTools(tools: readonly HandlingTool[], pauseMs: number, clock: Clock): HandlingTool[] {
  const watches = new PageWatches(clock);
  const settling = (tab: UpstreamTab): UpstreamTab => {
    const { page } = tab;
    const options = { open: () => watches.of(page), clock, pauseMs };
    return standIn(tab, {
      waitForCompletion: (action) => unlessModal(tab, (signal) => complete(page, action, options, signal)),
    });
  };
  const settlingContext = (context: UpstreamContext): UpstreamContext =>
    standIn(context, { ensureTab: async () => settling(await context.ensureTab()) });
  return tools.map((tool) => ({
    ...tool,
    handle: (context, ...others) => tool.handle(settlingContext(context as UpstreamContext), ...others),
  }));
}

/**
 * Works, unless a dialog or a file chooser is open, and no longer than until one opens: the page then does not go on. Nor does
 * one that has crashed: of the work only the action is then finished.
 */
async function unlessModal(tab: UpstreamTab, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (tab.modalStates().length > 0) return;
  const controller = new AbortController();
  const onCrash = () => controller.abort();
  let onModal = () => {};
  const modal = new Promise<void>((resolve) => {
    onModal = resolve;
  });
  tab.once('modalState', onModal);
  tab.page.once('crash', onCrash);
  try {
    await Promise.race([work(controller.signal), modal]);
  } finally {
    tab.off('modalState', onModal);
    tab.page.off('crash', onCrash);
    controller.abort();
  }
}
