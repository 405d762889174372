import { resolve } from 'node:path';
import { PwpoolError, type ToolResult } from '@pwpool/core';
import {
  askOperation,
  type BrowserUse,
  type ItemTask,
  type ItemWorker,
  LeaseWorker,
  pause,
  type RowBrowser,
  type RowBrowsers,
  type SelectedRow,
  type ServerEntry,
  systemClock,
} from '@pwpool/core/internal';

/** Refusals of a server that is well: what it refuses now it takes later. */
const LATER = new Set(['POOL_BUSY', 'RATE_LIMITED', 'LEASE_TIMEOUT']);

/** Milliseconds until the next try, where the server does not say. */
const RETRY_MS = 1_000;

export interface ServerBrowsersOptions {
  pool?: string | undefined;
  clean: 'row' | 'lease';
  toolset: string;
  /** How many rows at once. */
  capacity: number;
  /** Where files go that are of no row. */
  files: string;
}

/** A browser of a running server, for as long as it is asked for. */
interface ServerLease {
  readonly id: string;
  readonly pool: string;
  readonly instance: string;
  /** Aborts when the lease is over, with the reason. */
  readonly ended: AbortSignal;
  release(): Promise<void>;
}

/** The browsers of a running server, for rows: leased as a principal of this run's own, under the server's limits. */
export class ServerBrowsers implements RowBrowsers {
  readonly capacity: number;
  readonly #server: ServerEntry;
  readonly #options: ServerBrowsersOptions;
  /** As which the server knows this run. */
  readonly #run = `run-${process.pid}`;

  constructor(server: ServerEntry, options: ServerBrowsersOptions) {
    this.#server = server;
    this.#options = options;
    this.capacity = options.capacity;
  }

  newWorker(use: BrowserUse): ItemWorker<SelectedRow, unknown> {
    const { clean, files } = this.#options;
    const keep = clean === 'lease';
    const of = (lease: ServerLease) => this.#rowBrowser(lease);
    return new LeaseWorker<SelectedRow, unknown, ServerLease>(
      {
        lease: (task) => this.#lease(task, keep ? files : use.filesOf(task.item)),
        setUp: (lease, { signal }) => use.setUp(of(lease), signal),
        tearDown: (lease) => use.tearDown(of(lease)),
      },
      keep,
      (lease, task) => use.run(of(lease), task),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #lease({ signal }: ItemTask<SelectedRow>, folder: string): Promise<ServerLease> {
    const { pool, toolset } = this.#options;
    const input = { run: this.#run, toolset, directory: process.cwd(), files: resolve(folder) };
    return await untilAdmitted(
      signal,
      async () => await this.#ask(pool === undefined ? input : { ...input, pool }, signal),
    );
  }

  /** The operation lasts as long as the lease: that it has begun is told. */
  async #ask(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ServerLease> {
    const leaving = new AbortController();
    const ended = new AbortController();
    return await new Promise<ServerLease>((resolve, reject) => {
      const onTold = (told: unknown) => {
        const { lease: id, pool, instance } = told as { lease: string; pool: string; instance: string };
        resolve({ id, pool, instance, ended: ended.signal, release });
      };
      const asked = askOperation(this.#server, 'lease', input, {
        clock: systemClock,
        signal: AbortSignal.any([leaving.signal, signal]),
        onTold,
      }).then(
        () => ended.abort(new PwpoolError('LEASE_REVOKED', 'The server has ended the lease.')),
        (error: unknown) => {
          ended.abort(error);
          reject(error);
        },
      );
      const release = async () => {
        leaving.abort();
        await asked;
      };
    });
  }

  #rowBrowser(lease: ServerLease): RowBrowser {
    const step = async (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => {
      const signals = signal ? AbortSignal.any([signal, lease.ended]) : lease.ended;
      const input = { lease: lease.id, tool, args };
      const asking = { clock: systemClock, signal: signals };
      return (await untilAdmitted(signals, () =>
        askOperation(this.#server, 'step', input, asking),
      )) as ToolResult;
    };
    return {
      ended: lease.ended,
      call: ({ tool, args, signal }) => step(tool, args, signal),
      pageUrl: () => undefined,
      page: async () => {
        throw noPage();
      },
      context: () => {
        throw noPage();
      },
      keepPicture: async (path) => {
        if (this.#options.toolset !== 'playwright' || lease.ended.aborted) return;
        await step('browser_take_screenshot', { filename: resolve(path), type: 'png' }).catch(() => {});
      },
    };
  }
}

/** Asks again for as long as the server refuses for the moment: that is no failure of a row. */
async function untilAdmitted<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PwpoolError && LATER.has(error.code)) || signal.aborted) throw error;
      const { retryAfterMs } = { ...error.details } as { retryAfterMs?: unknown };
      const delay = typeof retryAfterMs === 'number' ? retryAfterMs : RETRY_MS;
      if (!(await pause(systemClock, delay, signal))) throw error;
    }
  }
}

function noPage(): PwpoolError {
  return new PwpoolError('BROWSER_NOT_READY', "A server's browsers give a script no page.", {
    hint: 'Leave --server out, or write the script as steps in YAML.',
  });
}
