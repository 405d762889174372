import type { ItemTask, ItemWorker } from '../bulk/run-items.js';
import type { Stages } from '../calls/run-tool.js';
import { runTool } from '../calls/run-tool.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import type { Lease } from '../pool/lease.js';
import { type LeasePlan, LeaseWorker, NO_TIMEOUT_MS } from '../pool/lease-worker.js';
import type { LeasedTab } from '../pool/leased-tab.js';
import { checkTabs, SharedLeases, TabWorker } from '../pool/tab-worker.js';
import type { Workspace } from '../upstream/workspace.js';
import type { BrowserUse, RowBrowser, RowBrowsers } from './row-browser.js';
import { type StagesParts, stagesOf } from './run-script.js';
import type { SelectedRow } from './select-rows.js';

/** Milliseconds that the picture of a failure may take. */
const PICTURE_MS = 5_000;

export interface OwnBrowsersOptions extends StagesParts {
  /** Default: the default pool. */
  pool?: string | undefined;
  clean: 'row' | 'lease';
  /** How many rows at once have a tab each of the same browser. Default 1: each row has all of it. */
  tabs?: number | undefined;
  /** Where files go that are of no row. */
  files: string;
}

/** The browsers of a pool of this process, for rows. */
export class OwnBrowsers implements RowBrowsers {
  readonly capacity: number;
  readonly #pools: BrowserPools;
  readonly #options: OwnBrowsersOptions;
  readonly #tabs: number;
  #shared: SharedLeases<SelectedRow> | undefined;

  /** @throws PwpoolError `POOL_NOT_FOUND`; `INVALID_ARGUMENTS` for tabs with a clean browser for each row */
  constructor(pools: BrowserPools, options: OwnBrowsersOptions) {
    const { pool, clean, tabs = 1 } = options;
    checkTabs(tabs, clean === 'lease');
    this.#pools = pools;
    this.#options = options;
    this.#tabs = tabs;
    this.capacity = pools.pool(pool).config.instances.length * tabs;
  }

  newWorker(use: BrowserUse): ItemWorker<SelectedRow, unknown> {
    const { clean, files } = this.#options;
    if (this.#tabs > 1) return this.#tabWorker(use);
    const keep = clean === 'lease';
    const of = (lease: Lease) => this.#rowBrowser(lease);
    const plan: LeasePlan<SelectedRow, Lease> = {
      lease: (task) => this.#lease(task, keep ? files : use.filesOf(task.item)),
      setUp: (lease, { signal }) => use.setUp(of(lease), signal),
      tearDown: (lease) => use.tearDown(of(lease)),
    };
    return new LeaseWorker(plan, keep, (lease, task) => use.run(of(lease), task));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared?.[Symbol.asyncDispose]();
  }

  #tabWorker(use: BrowserUse): ItemWorker<SelectedRow, unknown> {
    const { files } = this.#options;
    const inTab = async (lease: Lease, work: (browser: RowBrowser) => Promise<void>) => {
      await using tab = await this.#openTab(lease, files);
      await work(this.#rowBrowser(tab.tab));
    };
    this.#shared ??= new SharedLeases(
      {
        lease: (task) => this.#lease(task, files),
        setUp: (lease, { signal }) => inTab(lease, (browser) => use.setUp(browser, signal)),
        tearDown: (lease) => inTab(lease, (browser) => use.tearDown(browser)).catch(() => {}),
      },
      this.#tabs,
    );
    return new TabWorker(
      this.#shared,
      (lease, { item }) => this.#openTab(lease, use.filesOf(item)),
      ({ tab }, task) => use.run(this.#rowBrowser(tab), task),
    );
  }

  /** A tab whose files go into a folder of its own. */
  async #openTab(lease: Lease, folder: string): Promise<AsyncDisposable & { tab: LeasedTab }> {
    const workspace = this.#pools.workspaces.openAt(folder);
    try {
      const tab = await lease.openTab(workspace);
      return {
        tab,
        async [Symbol.asyncDispose]() {
          await tab[Symbol.asyncDispose]();
          workspace[Symbol.dispose]();
        },
      };
    } catch (error) {
      workspace[Symbol.dispose]();
      throw error;
    }
  }

  async #lease({ signal: endOn }: ItemTask<SelectedRow>, folder: string): Promise<Lease> {
    const workspace: Workspace = this.#pools.workspaces.openAt(folder);
    const end = () => workspace[Symbol.dispose]();
    try {
      const pool = this.#pools.pool(this.#options.pool);
      const lease = await pool.lease({ endOn, timeoutMs: NO_TIMEOUT_MS, holder: 'script run', workspace });
      lease.ended.addEventListener('abort', end, { once: true });
      return lease;
    } catch (error) {
      end();
      throw error;
    }
  }

  #rowBrowser(held: Lease | LeasedTab): RowBrowser {
    const stages: Stages = stagesOf(this.#options);
    return {
      ended: held.ended,
      call: (call) => runTool(held, call, stages),
      pageUrl: () => held.pageUrl(),
      page: () => held.page(),
      context: () => held.context(),
      keepPicture: async (path) => {
        if (held.ended.aborted) return;
        await held
          .openPages()
          ?.at(0)
          ?.screenshot({ path, timeout: PICTURE_MS })
          .catch(() => {});
      },
    };
  }
}
