import type { InstanceConfig } from '../config/model.js';
import { type DeadlineOptions, withDeadline } from '../waiting/deadline.js';
import type { BrowserHandle } from './browser-driver.js';

/**
 * The part of `START_TIMEOUT` that a driver has which words its own failures. The rest is for undoing what was begun,
 * three seconds with most drivers, so that these words come before the instance's.
 */
const START_SHARE = 0.85;

/** Milliseconds. */
export function startDeadline({ settings }: InstanceConfig): number {
  return Math.round(settings.startTimeout * START_SHARE);
}

/**
 * Starts a browser within a deadline, after which its signal aborts. Settles when the work has, since nothing of a start
 * that is over may go on: the work undoes what it has begun, and a browser that is up all the same is ended here.
 * @throws PwpoolError what the signal was aborted with, else as the work
 */
export async function startInTime(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<BrowserHandle>,
): Promise<BrowserHandle> {
  let working: Promise<BrowserHandle> | undefined;
  try {
    return await withDeadline(options, 'start', (signal) => {
      working = work(signal);
      return working;
    });
  } catch (error) {
    const late = await working?.catch(() => undefined);
    await late?.[Symbol.asyncDispose]();
    throw error;
  }
}
