import type { BrowserContext } from 'playwright';
import { type FakeDriver, FakeStep } from '../../src/testing/fake-driver.js';

/** Gives every browser, now and later, a context whose state is empty. @returns the reading of it, by instance */
export function giveContexts(driver: FakeDriver): (instance: string) => FakeStep {
  const readings = new Map<string, FakeStep>();
  const readingOf = (instance: string) => {
    const reading = readings.get(instance) ?? new FakeStep();
    readings.set(instance, reading);
    return reading;
  };
  driver.onStart = (browser) => {
    const context = {
      cookies: async () => [],
      pages: () => [],
      storageState: async () => {
        await readingOf(browser.config.id).run();
        return { cookies: [], origins: [] };
      },
      setStorageState: async () => {},
    };
    browser.context = context as unknown as BrowserContext;
  };
  driver.browsers.forEach(driver.onStart);
  return readingOf;
}
