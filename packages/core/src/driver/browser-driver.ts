import type { BrowserContext, Page } from 'playwright';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { FailureKind } from '../upstream/failure-code.js';
import type { WorkFolders } from '../upstream/workspace.js';

/** How an instance gets its browser [arch-driver-01] to [arch-driver-08]. */
export interface BrowserDriver {
  /**
   * Starts, or attaches to, the browser of one instance, within its `START_TIMEOUT`.
   * @param signal aborts when nobody wants the browser any more: what was begun is undone, and then the start settles
   * @throws PwpoolError `BROWSER_NOT_READY` with the reason and what to install or change
   */
  start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle>;
}

/** One running browser and the context that its holder works in. Its owner is the instance. */
export interface BrowserHandle extends AsyncDisposable {
  /** True when pwpool started the browser and may kill it; false when it may only disconnect. */
  readonly owned: boolean;
  /** The process to watch: the browser, or the tool server that started it. `null` where it cannot be known. */
  readonly processId: number | null;
  /** How many instances use the browser at the moment, this one included. */
  readonly sharedBy: number;
  /** Aborts, with an `INSTANCE_CRASHED` error as its reason, when the browser is gone without having been closed. */
  readonly lost: AbortSignal;
  /** The context in use, for library callers. `undefined` when the browser is behind a remote tool server. */
  readonly context: BrowserContext | undefined;
  /** The page of the context that the tools work in. `undefined` when there is none, or it cannot be known. */
  readonly currentPage: Page | undefined;
  /** What `browser_close` answers. Default: what upstream's does. */
  readonly closedAnswer?: ToolResult | undefined;
  callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult>;
  /**
   * The failure of a call with what the page shows of it now, such as what is in the way; the same where the page
   * cannot be seen. Changes nothing in the page.
   */
  explain(args: ToolArguments, failure: FailureKind): Promise<FailureKind>;
  /**
   * Has the tools read and write files in these folders from now on, as far as the driver can. Nothing happens when they
   * do already; else what the last holder's tools have going, such as a trace, ends.
   */
  workIn(folders: WorkFolders): Promise<void>;
  /**
   * Opens a tab, with tools of its own that work in these folders and see the pages of that tab alone. The tools of the
   * browser itself are gone from the first one on, until `workIn` or `reset`. Absent where tools are elsewhere.
   * @param signal gives the tab up
   */
  openTab?(folders: WorkFolders, signal: AbortSignal): Promise<BrowserHandle>;
  /** One round trip to the browser that takes part in no call. Rejects when the browser does not answer properly. */
  ping(): Promise<void>;
  /**
   * Opens a blank page beside those of the holder and closes it again, which shows what a ping does not: that pages can
   * be opened and drawn. Rejects with what is wrong.
   */
  tryPage(): Promise<void>;
  /** Asks the pages that are there, while nobody holds the instance. Rejects when one does not answer. */
  inspect(): Promise<void>;
  /** Keeps other instances out of this one's browser from now on: it is to end when all in it have left. */
  retire(): void;
  /**
   * Gives the next holder a clean start: a fresh context, or, with a profile on disk, no page of the last holder
   * while what the profile keeps stays.
   * @param signal aborts when that comes too late: what can still be left as it is stays so
   * @param openPage also open the first page, where that makes the next holder wait the longest
   */
  reset(signal: AbortSignal, openPage?: boolean): Promise<void>;
  /**
   * After a call that was given up: stops what keeps the pages from answering. A page that stays stuck is closed.
   * @returns whether a page was closed
   */
  unblock(): Promise<boolean>;
  /** Closes the browser if owned, else disconnects; kills what does not close in time. */
  [Symbol.asyncDispose](): Promise<void>;
}
