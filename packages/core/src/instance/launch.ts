import type { Clock } from '../clock.js';
import type { InstanceConfig } from '../config/model.js';
import type { BrowserDriver, BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import type { Departures } from './departures.js';

export interface LaunchOptions {
  driver: BrowserDriver;
  config: InstanceConfig;
  clock: Clock;
  departures: Departures;
  /** Ends the start. */
  signal: AbortSignal;
}

/**
 * Starts a browser within `START_TIMEOUT`. One that is up after all, too late, departs.
 * @throws PwpoolError `BROWSER_NOT_READY`, what the signal was aborted with, else as the driver
 */
export async function launch(options: LaunchOptions): Promise<BrowserHandle> {
  const { driver, config, clock, departures, signal } = options;
  const { id, pool, settings } = config;
  const timeoutMs = settings.startTimeout;
  const message = `The browser of instance '${id}' of pool '${pool}' did not start within ${timeoutMs} ms.`;
  const onTimeout = () =>
    new PwpoolError('BROWSER_NOT_READY', message, { hint: 'Raise START_TIMEOUT if it needs longer.' });
  let launching: Promise<BrowserHandle> | undefined;
  try {
    return await withDeadline({ clock, timeoutMs, signals: [signal], onTimeout }, 'start', (stop) => {
      launching = driver.start(config, stop);
      return launching;
    });
  } catch (error) {
    if (launching !== undefined) departures.expect(launching);
    throw forOperator(error);
  }
}

/** What a driver advises is for whoever has the machine and the configuration; an agent has neither. */
function forOperator(error: unknown): unknown {
  if (!(error instanceof PwpoolError) || error.code !== 'BROWSER_NOT_READY' || error.hint === undefined)
    return error;
  const { code, message, hint, details } = error;
  return new PwpoolError(code, message, { hint: `For whoever runs pwpool: ${hint}`, details, cause: error });
}
