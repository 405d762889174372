import { cdpEndpointOf, workerPortOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import type { Instance } from '../instance/instance.js';
import { WaitingLine } from '../waiting/waiting-line.js';

/**
 * A mutex for each browser that several instances could be configured for: one that is given the port of another, by a
 * reload, starts when the other's browser is gone.
 */
export class BrowserMutex {
  readonly #owners = new Map<string, Instance>();
  readonly #released = new WaitingLine();

  /**
   * Waits until no other instance has the browser that this one is to use; `undefined` if none has.
   * @throws what the signal was aborted with
   */
  lock(instance: Instance, signal: AbortSignal): Promise<void> | undefined {
    const browser = browserOf(instance.config);
    if (browser === undefined || this.#take(browser, instance)) return undefined;
    return this.#wait(browser, instance, signal);
  }

  /** The instance uses no browser any more. */
  release(instance: Instance): void {
    for (const [browser, owner] of this.#owners) if (owner === instance) this.#owners.delete(browser);
    this.#released.serveAll();
  }

  async #wait(browser: string, instance: Instance, signal: AbortSignal): Promise<void> {
    do {
      await this.#released.wait({ signal });
      signal.throwIfAborted();
    } while (!this.#take(browser, instance));
  }

  #take(browser: string, instance: Instance): boolean {
    const owner = this.#owners.get(browser) ?? instance;
    if (owner === instance) this.#owners.set(browser, instance);
    return owner === instance;
  }
}

/** A browser that other instances could be configured for: the rules SHARED_PORT and SHARED_ENDPOINT forbid it. */
function browserOf(config: InstanceConfig): string | undefined {
  const port = workerPortOf(config);
  if (port !== undefined) return `port ${port}`;
  const endpoint = config.settings.isolated ? undefined : cdpEndpointOf(config);
  return endpoint && new URL(endpoint.url).href;
}
