import type { BrowserHandle } from '../browser-driver.js';
import { PlaywrightBrowser, type PlaywrightBrowserOptions } from '../playwright/playwright-browser.js';

/** `PlaywrightBrowser.open` for a start that may be over by now: then the seat is given up, and the signal's reason thrown. */
export async function openSeat(
  options: PlaywrightBrowserOptions,
  signal: AbortSignal,
): Promise<BrowserHandle> {
  if (signal.aborted) await options.seat.leave(undefined);
  signal.throwIfAborted();
  const browser = await PlaywrightBrowser.open(options);
  if (signal.aborted) await browser[Symbol.asyncDispose]();
  signal.throwIfAborted();
  return browser;
}
