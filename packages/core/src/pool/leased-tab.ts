import type { BrowserContext, Page } from 'playwright';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import type { HeldTab } from '../instance/held-tab.js';
import { redactedUrl } from '../upstream/evidence/redaction.js';
import { unlessAborted } from '../waiting/abort.js';
import { type CallTerms, callPlaced } from './placed-call.js';

/** What a tab has from its lease. */
export interface TabHost {
  readonly pool: string;
  readonly instance: string;
  readonly config: InstanceConfig;
  readonly ended: AbortSignal;
  context(): BrowserContext;
}

/**
 * A tab of its own in a leased browser, whose tools know of no other tab: several work in one lease at once. Cookies and storage are
 * common to all of them. It ends with its lease, or when it is disposed of.
 */
export class LeasedTab implements AsyncDisposable {
  readonly #lease: TabHost;
  readonly #tab: HeldTab;
  readonly #terms: CallTerms;

  /** Made by a `Lease` only. */
  constructor(lease: TabHost, tab: HeldTab, terms: CallTerms) {
    this.#lease = lease;
    this.#tab = tab;
    this.#terms = terms;
  }

  get pool(): string {
    return this.#lease.pool;
  }

  get instance(): string {
    return this.#lease.instance;
  }

  get config(): InstanceConfig {
    return this.#lease.config;
  }

  get ended(): AbortSignal {
    return this.#lease.ended;
  }

  /** As `Lease.callTool`, in the tab. */
  async callTool(
    name: string,
    args: ToolArguments = {},
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ToolResult> {
    return await callPlaced(this.#terms, name, args, (placed) => this.#tab.callTool(name, placed, signal));
  }

  /** As `Lease.context`: that of all tabs of the browser. */
  context(): BrowserContext {
    return this.#lease.context();
  }

  /** The page, opened again if it was closed. Throws as `Lease.context`. */
  async page(): Promise<Page> {
    this.ended.throwIfAborted();
    const page = this.#tab.pages[0] ?? (await unlessAborted(this.ended, this.#tab.newPage()));
    if (page) return page;
    throw new PwpoolError('BROWSER_NOT_READY', 'The tab has no page.', {
      hint: 'Open another one with openTab, or take a new lease.',
    });
  }

  openPages(): Page[] {
    return this.#tab.pages;
  }

  pageUrl(): string | undefined {
    const { pages } = this.#tab;
    return pages.length === 1 ? redactedUrl(pages[0]?.url(), this.config.settings) : undefined;
  }

  ownFile(name: string): string | undefined {
    return this.#terms.workspace.ownFile(name);
  }

  /** Closes the tab and the pages that it opened. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tab[Symbol.asyncDispose]();
  }
}
