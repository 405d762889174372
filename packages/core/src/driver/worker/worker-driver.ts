import { join, resolve } from 'node:path';
import type { BrowserContext } from 'playwright';
import type { Clock } from '../../clock.js';
import { dataDirectory } from '../../config/data-directory.js';
import type { Endpoint } from '../../config/endpoint.js';
import { workerPortOf } from '../../config/instance-driver.js';
import { KEYS } from '../../config/keys.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import { unlessAborted } from '../../waiting/abort.js';
import { pause } from '../../waiting/pause.js';
import { type ProcessLock, takeProcessLock } from '../../waiting/process-lock.js';
import { notAttached } from '../attached/attached-failure.js';
import { AttachedProfile, leaveDialogs } from '../attached/attached-profile.js';
import { attach } from '../attached/attached-seat.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { notStarted } from '../driver-errors.js';
import { BrowserProcess } from '../launch/browser-process.js';
import type { BrowserSeat } from '../playwright/browser-seat.js';
import { PlaywrightBrowser } from '../playwright/playwright-browser.js';
import { startDeadline, startInTime } from '../start-deadline.js';
import type { ToolSettings } from '../tool-options.js';
import { WorkerPort } from './worker-port.js';

/** Milliseconds between two looks at a browser that somebody else is starting. */
const LOOK_MS = 100;

/**
 * Worker browsers [004-worker-01, 004-lazy-02]: instance N has the debugging port `CDP_PORT_BASE` + N and a profile
 * of its own. The browser that answers on that port is attached to; otherwise one is launched, under a lock, so that
 * servers which start together share one set.
 *
 * Whoever launched a worker browser ends it. A server that was attached to it then loses its instance, and starts the
 * browser by itself when the pool starts the instance again. Servers that use one worker at the same time have the
 * cookies of its profile in common and see only their own tabs; with `ISOLATED=true` each has a context of its own.
 */
export class WorkerDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #tools: ToolSettings;

  constructor(options: { clock: Clock } & ToolSettings) {
    this.#clock = options.clock;
    this.#tools = options;
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const port = new WorkerPort(portOf(config), this.#clock);
    const timeoutMs = startDeadline(config);
    const onTimeout = () => notInTime(config, port, timeoutMs);
    const options = { clock: this.#clock, timeoutMs, signals: [signal], onTimeout };
    try {
      return await startInTime(options, async (stop) => {
        const seat = await this.#seat(config, port, stop);
        const place = { config, seat, clock: this.#clock, tools: this.#tools };
        return await PlaywrightBrowser.open(place, stop);
      });
    } catch (error) {
      throw notStarted(config, error, workerProfileDirectory(config));
    }
  }

  async #seat(config: InstanceConfig, port: WorkerPort, signal: AbortSignal): Promise<BrowserSeat> {
    for (;;) {
      signal.throwIfAborted();
      // What does not answer properly may be a browser that another server is just starting: the lock tells.
      const endpoint = await port.browser().catch(() => undefined);
      if (endpoint) return await this.#attach(config, endpoint, signal);
      await using lock = await takeProcessLock(startLock(port));
      // Between the look and the lock another may have started it.
      if (lock && !(await port.browser())) return await this.#launch(config, port, signal);
      if (!lock) await pause(this.#clock, LOOK_MS, signal);
    }
  }

  async #attach(config: InstanceConfig, endpoint: Endpoint, signal: AbortSignal): Promise<BrowserSeat> {
    const options = { config, endpoint, clock: this.#clock, timeoutMs: startDeadline(config) };
    try {
      return await attach(options, signal);
    } catch (error) {
      throw notAttached(config, endpoint, error);
    }
  }

  async #launch(config: InstanceConfig, port: WorkerPort, signal: AbortSignal): Promise<BrowserSeat> {
    const process = await BrowserProcess.launch(config, this.#clock, signal, {
      profileDirectory: workerProfileDirectory(config),
      args: [`--remote-debugging-port=${port.number}`],
    });
    try {
      return await unlessAborted(signal, ownSeat(process, config, port));
    } catch (error) {
      await process.end();
      throw error;
    }
  }
}

function startLock(port: WorkerPort): ProcessLock {
  return {
    directory: join(dataDirectory(), 'locks'),
    name: `worker-${port.number}`,
    hint: 'Make that directory writable, or set XDG_DATA_HOME to one that is.',
  };
}

/** A seat in the browser that was launched for this port, once it shows that it listens there. */
async function ownSeat(
  process: BrowserProcess,
  config: InstanceConfig,
  port: WorkerPort,
): Promise<BrowserSeat> {
  const { browser, processId, profile: whole } = process;
  if (!whole) throw new Error('it has no profile');
  // A browser whose port was taken meanwhile listens elsewhere, or nowhere.
  if (!(await port.shows(await firstTargetOf(whole)))) {
    throw new Error(`it does not listen on port ${port.number}, which another may have taken`);
  }
  const profile = config.settings.isolated ? undefined : new AttachedProfile(whole);
  if (!profile) leaveDialogs(whole);
  return {
    browser,
    processId,
    owned: true,
    sharedBy: 1,
    profile: profile?.context,
    retire() {},
    leave: () => process.end(),
  };
}

/** What CDP calls the page that the browser has come up with. */
async function firstTargetOf(context: BrowserContext): Promise<string> {
  const cdp = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()));
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  await cdp.detach();
  return targetInfo.targetId;
}

function portOf(config: InstanceConfig): number {
  const port = workerPortOf(config);
  if (port !== undefined) return port;
  throw new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${config.id}' of pool '${config.pool}' has no debugging port.`,
    { hint: 'Set CDP_PORT_BASE.', details: { pool: config.pool, instance: config.id } },
  );
}

function notInTime({ pool, id }: InstanceConfig, port: WorkerPort, timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The worker browser of instance '${id}' of pool '${pool}' was not there on port ${port.number} within ${timeoutMs} ms.`,
    {
      hint: 'START_TIMEOUT sets the limit. Check that pwpool may open that port, and what else starts a browser on it.',
      details: { pool, instance: id, port: port.number },
    },
  );
}

/**
 * The profile of a worker browser: `PROFILE_PREFIX` and two digits [004-worker-03]. Projects share it, as they share
 * the port on which the browser is found.
 */
function workerProfileDirectory(config: InstanceConfig): string {
  const { id, pool, settings } = config;
  const root = settings.profileDir ?? KEYS.PROFILE_DIR.defaultIn.path(settings);
  return resolve(root, pool, `${settings.profilePrefix}${id.padStart(2, '0')}`);
}
