import { addAbortListener } from 'node:events';
import type { BrowserContext } from 'playwright';
import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import { within } from '../../waiting/deadline.js';
import { BrowserProcess } from '../launch/browser-process.js';
import type { BrowserSeat } from '../playwright/browser-seat.js';

/** Milliseconds that a context has to close. */
const CLOSE_MS = 3_000;

interface Shared {
  seats: number;
  /** How many of those who came are to have a seat. */
  wanted: number;
  readonly unwanted: AbortController;
  readonly process: Promise<BrowserProcess>;
}

/**
 * The browser processes of a driver. `CONTEXTS_PER_BROWSER` instances of a pool share one, each with a context of its
 * own; instances with a profile on disk never share.
 */
export class BrowserProcesses {
  readonly #clock: Clock;
  /** Those that newcomers may join, by how they were launched. */
  readonly #open = new Map<string, Set<Shared>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes a seat in a process that has one free, or launches a process. Rejects as Playwright does.
   * @param signal the seat is not wanted any more: a launch that nobody wants is ended
   */
  async join(config: InstanceConfig, signal: AbortSignal): Promise<BrowserSeat> {
    const most = config.settings.isolated ? config.settings.contextsPerBrowser : 1;
    const open = this.#openFor(config);
    let shared = [...open].find(({ seats }) => seats < most);
    if (!shared) {
      const unwanted = new AbortController();
      const process = BrowserProcess.launch(config, this.#clock, unwanted.signal);
      shared = { seats: 0, wanted: 0, unwanted, process };
      if (most > 1) open.add(shared);
    }
    shared.seats += 1;
    return await this.#seat(shared, open, signal);
  }

  async #seat(shared: Shared, open: Set<Shared>, signal: AbortSignal): Promise<BrowserSeat> {
    const shut = () => void open.delete(shared);
    const abandon = () => {
      shared.wanted -= 1;
      if (shared.wanted > 0) return;
      shut();
      shared.unwanted.abort();
    };
    shared.wanted += 1;
    using _abandoning = addAbortListener(signal, abandon);
    let process: BrowserProcess;
    try {
      process = await shared.process;
    } catch (error) {
      shut();
      throw error;
    }
    const { browser, processId, profile } = process;
    return {
      browser,
      processId,
      profile,
      owned: true,
      get sharedBy() {
        return shared.seats;
      },
      retire: shut,
      leave: async (context) => {
        shared.seats -= 1;
        // A browser that cannot even close a context is of no use to the others in it either.
        if (shared.seats > 0 && (await this.#close(context))) return;
        shut();
        await process.end();
      },
    };
  }

  /** @returns whether the context closed in time */
  async #close(context: BrowserContext | undefined): Promise<boolean> {
    const close = async () => {
      await context?.close();
      return true;
    };
    return await within(this.#clock, CLOSE_MS, close, false);
  }

  /** Instances whose browser is launched in the same way can share one. */
  #openFor({ pool, settings }: InstanceConfig): Set<Shared> {
    const { browser, headless, executablePath, sandbox, proxyServer, proxyBypass } = settings;
    const { allowExternal, launchOptions } = settings;
    const key = JSON.stringify([
      ...[pool, browser, headless, executablePath, sandbox, proxyServer, proxyBypass],
      ...[allowExternal, launchOptions],
    ]);
    const open = this.#open.get(key) ?? new Set();
    this.#open.set(key, open);
    return open;
  }
}
