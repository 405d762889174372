import type { Instance } from '../instance/instance.js';
import type { Grant } from '../lease/grant.js';
import { ResetPolicy } from './reset-policy.js';

/** Brings browsers to where a holder may use them: started, and clean where `RESET` asks for it. */
export class Readiness {
  readonly #reset = new ResetPolicy();
  readonly #starts = new WeakMap<Grant, Promise<void>>();

  /** Begins to start the browser for a grant, before this returns. */
  start(instance: Instance, grant: Grant): void {
    const starting = instance.start();
    this.#starts.set(grant, starting);
    // Whoever has the grant is told.
    starting.catch(() => {});
  }

  /** Waits until the browser is there and as its next holder may find it. */
  async ready(instance: Instance, grant: Grant, keep: boolean): Promise<void> {
    const starting = this.#starts.get(grant);
    await (starting ?? instance.start());
    if (starting !== undefined) this.renewed(instance);
    else if (this.#reset.beforeLease(instance.id, keep, instance.config.settings.reset))
      await this.clean(instance);
  }

  /** A holder is done with the browser. */
  used(instance: Instance): void {
    this.#reset.used(instance.id);
  }

  /** The browser is a new one, or is about to be. */
  renewed(instance: Instance): void {
    this.#reset.clean(instance.id);
  }

  /** Whether the browser is to be cleaned after a lease. */
  cleansAfter(instance: Instance, keep: boolean): boolean {
    return this.#reset.afterLease(keep, instance.config.settings.reset);
  }

  async clean(instance: Instance): Promise<void> {
    await instance.reset();
    this.#reset.clean(instance.id);
  }
}
