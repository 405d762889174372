import { addAbortListener } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { Browser, BrowserContext } from 'playwright';
import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import { within } from '../../waiting/deadline.js';
import { killProcess, killProcessGroup } from '../kill-process.js';
import { processTree } from '../process-tree.js';
import { contextOptions } from './context-options.js';
import { browserType } from './engine.js';
import { tolerateMissingMediaFeatures } from './firefox-bidi.js';
import { launchOptions, profileDirectory } from './launch-options.js';
import { claimProfile, makeScratchDirectory, removeScratchDirectory } from './scratch-directory.js';
import { browserInScratch, killInScratch } from './scratch-processes.js';

/** Milliseconds that a browser has to close before it is killed. */
const CLOSE_MS = 3_000;
/** Milliseconds that a browser has to tell its process id. */
const TELL_MS = 3_000;

/** How a browser is launched, beyond its launch options. */
export interface LaunchPlace {
  /** `undefined` for a browser that keeps no profile. */
  profileDirectory: string | undefined;
  args?: readonly string[];
}

interface Launched {
  browser: Browser;
  /** The one context of a profile on disk; `undefined` for a browser in which contexts are made as needed. */
  profile: BrowserContext | undefined;
}

/** A browser process that pwpool started. Its owner ends it. */
export class BrowserProcess {
  readonly browser: Browser;
  readonly profile: BrowserContext | undefined;
  /** `null` where it cannot be known. */
  readonly processId: number | null;
  readonly #scratch: string;
  readonly #clock: Clock;

  private constructor(launched: Launched, processId: number | null, scratch: string, clock: Clock) {
    this.browser = launched.browser;
    this.profile = launched.profile;
    this.processId = processId;
    this.#scratch = scratch;
    this.#clock = clock;
  }

  /**
   * Launches the browser that an instance is configured with. Rejects as Playwright does.
   * @param signal ends a launch under way by killing what was started; where that is not to be found (outside Linux), it
   *   ends at its time-out
   * @param place default: `profileDirectory` for `ISOLATED=false`
   */
  static async launch(
    config: InstanceConfig,
    clock: Clock,
    signal: AbortSignal,
    place: LaunchPlace = {
      profileDirectory: config.settings.isolated ? undefined : profileDirectory(config),
    },
  ): Promise<BrowserProcess> {
    const scratch = await makeScratchDirectory();
    let launched: Launched | undefined;
    using _killing = addAbortListener(signal, () => void killInScratch([scratch]));
    try {
      signal.throwIfAborted();
      launched = await launch(config, scratch, place);
      const processId = await processIdOf(launched.browser, scratch, clock);
      if (processId !== null) await claimProfile(scratch, processId);
      return new BrowserProcess(launched, processId, scratch, clock);
    } catch (error) {
      await launched?.browser.close();
      await removeScratchDirectory(scratch);
      throw error;
    }
  }

  /** Closes the browser; kills one that does not close in time. */
  async end(): Promise<void> {
    const close = async () => {
      await this.browser.close();
      return true;
    };
    const closed = await within(this.#clock, CLOSE_MS, close, false);
    if (this.processId !== null) {
      if (!closed) killProcess(this.processId);
      killProcessGroup(this.processId);
    }
    await removeScratchDirectory(this.#scratch);
  }
}

async function launch(config: InstanceConfig, scratch: string, place: LaunchPlace): Promise<Launched> {
  const engine = browserType(config.settings.browser);
  const base = launchOptions(config, scratch);
  const options = place.args ? { ...base, args: [...(base.args ?? []), ...place.args] } : base;
  if (options.channel === 'moz-firefox') tolerateMissingMediaFeatures();
  const directory = place.profileDirectory;
  if (directory === undefined) return { browser: await engine.launch(options), profile: undefined };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const profile = await engine.launchPersistentContext(directory, { ...options, ...contextOptions(config) });
  const browser = profile.browser();
  if (!browser) throw new Error('Playwright gave no browser for the profile.');
  return { browser, profile };
}

/**
 * The process id, which Playwright does not tell. Chromium does, on every system, but as it knows itself: in a container
 * of its own that is the id of another process out here. So on Linux it is taken from a child of this process only.
 */
async function processIdOf(browser: Browser, scratch: string, clock: Clock): Promise<number | null> {
  const told = browser.browserType().name() === 'chromium' ? await toldProcessId(browser, clock) : null;
  if (process.platform !== 'linux') return told;
  const [, ...started] = processTree(process.pid);
  return told !== null && started.includes(told) ? told : await browserInScratch(scratch);
}

/** What the browser says over CDP; `null` when it says nothing in time. */
async function toldProcessId(browser: Browser, clock: Clock): Promise<number | null> {
  const ask = async () => {
    const cdp = await browser.newBrowserCDPSession();
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
    await cdp.detach();
    return processInfo.find((entry) => entry.type === 'browser')?.id ?? null;
  };
  return await within(clock, TELL_MS, ask, null);
}
