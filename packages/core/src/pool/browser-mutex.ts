import { cdpEndpointOf, workerPortOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import type { Instance } from '../instance/instance.js';

/**
 * A mutex for each browser that several instances could be configured for: one that is given the port of another, by a
 * reload, starts when the other's browser is gone.
 */
export class BrowserMutex {
  readonly #owners = new Map<string, Instance>();
  readonly #waiting = new Set<() => void>();

  /**
   * Waits until no other instance has the browser that this one is to use; `undefined` if none has.
   * @throws what the signal was aborted with
   */
  lock(instance: Instance, signal: AbortSignal): Promise<void> | undefined {
    const browser = browserOf(instance.config);
    if (browser === undefined || this.#take(browser, instance)) return undefined;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', giveUp);
      };
      const look = () => {
        if (!this.#take(browser, instance)) return;
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(look);
    });
  }

  /** The instance uses no browser any more. */
  release(instance: Instance): void {
    for (const [browser, user] of this.#owners) if (user === instance) this.#owners.delete(browser);
    for (const look of [...this.#waiting]) look();
  }

  #take(browser: string, instance: Instance): boolean {
    const user = this.#owners.get(browser) ?? instance;
    if (user === instance) this.#owners.set(browser, instance);
    return user === instance;
  }
}

/** A browser that other instances could be configured for: the rules SHARED_PORT and SHARED_ENDPOINT forbid it. */
function browserOf(config: InstanceConfig): string | undefined {
  const port = workerPortOf(config);
  if (port !== undefined) return `port ${port}`;
  const endpoint = config.settings.isolated ? undefined : cdpEndpointOf(config);
  return endpoint && new URL(endpoint.url).href;
}
