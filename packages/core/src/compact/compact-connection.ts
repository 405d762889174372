import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../clock.js';
import { withLine } from '../connection/answer-text.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { failureResult } from '../upstream/failure.js';
import { complete } from '../upstream/settling/completion.js';
import { PageWatches } from '../upstream/settling/page-watch.js';
import { unlessAborted } from '../waiting/abort.js';
import type { CompactBrowser } from './compact-browser.js';
import type { CompactAnswer } from './compact-tool.js';
import { PageLog } from './page-log.js';
import { Pages } from './pages.js';
import { References } from './references.js';
import { COMPACT_TOOLS } from './tools/all.js';

export interface CompactOptions {
  clock: Clock;
  /** Milliseconds that an element may take to be ready for an action. */
  actionTimeoutMs: number;
  /** How long to wait after an action at most, in milliseconds, and whether that ends when the page is at rest. */
  settleMs: number;
  settle: 'adaptive' | 'fixed';
}

/** What the tool answers that an instance carries out itself. */
export const CLOSED: ToolResult = resultOf({ facts: { success: true } });

/** The compact tools over one browser context. Disposing takes their listeners off, and leaves the context alone. */
export class CompactConnection implements ToolConnection {
  readonly #browser: CompactBrowser;

  constructor(context: BrowserContext, { clock, actionTimeoutMs, settle, settleMs }: CompactOptions) {
    const log = new PageLog(clock);
    const watches = new PageWatches(clock);
    this.#browser = {
      pages: new Pages(context, (page) => log.watch(page)),
      log,
      references: new References(),
      clock,
      actionTimeoutMs,
      settle: (page, action, signal) => {
        const open = async () => (settle === 'adaptive' ? await watches.of(page) : undefined);
        return complete(page, action, { open, clock, pauseMs: settleMs }, signal);
      },
    };
  }

  /** The page that the tools work in; `undefined` when none is open. */
  get currentPage(): Page | undefined {
    return this.#browser.pages.current;
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    return await unlessAborted(signal, this.#call(name, args, signal), name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#browser.pages[Symbol.dispose]();
  }

  async #call(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    const tool = COMPACT_TOOLS.get(name);
    if (!tool) throw new PwpoolError('TOOL_NOT_FOUND', `The compact toolset has no ${name}.`);
    const { pages } = this.#browser;
    using _call = pages.begin();
    try {
      const { facts, ...answer } = await tool.run(this.#browser, args, signal);
      const notices = pages.takeNotices();
      return resultOf({ ...answer, facts: notices.length > 0 ? { ...facts, notices } : facts });
    } catch (error) {
      const failure =
        error instanceof PwpoolError ? failureResult(error, this.currentPage?.url()) : failed(error);
      return pages.takeNotices().reduce(withLine, failure);
    }
  }
}

/** Text and structured content say the same: clients show a model one of them. */
function resultOf({ facts, image }: CompactAnswer): ToolResult {
  const text = { type: 'text' as const, text: JSON.stringify(facts) };
  if (image === undefined) return { content: [text], structuredContent: facts };
  return { content: [{ type: 'image', data: image, mimeType: 'image/png' }, text] };
}

/** What Playwright threw, in the form of upstream's failures, which are presented to callers where they are all. */
function failed(error: unknown): ToolResult {
  return { isError: true, content: [{ type: 'text', text: `### Error\n${reasonOf(error)}` }] };
}
