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

  /**
   * Waits until the browser is there and as its next holder may find it.
   * @param headless the mode that the holder asks for; `undefined`: as configured
   */
  async ready(instance: Instance, grant: Grant, keep: boolean, headless: boolean | undefined): Promise<void> {
    const { settings } = instance.config;
    if (headless !== undefined && headless !== settings.headless) {
      await this.#relaunch(instance, headless);
      return;
    }
    const isNew = instance.startedAt === null || this.#starts.has(grant);
    await (this.#starts.get(grant) ?? instance.start());
    if (isNew) this.renewed(instance);
    else if (this.#reset.beforeLease(instance.id, keep, instance.config.settings.reset))
      await this.clean(instance);
  }

  /** Whether the browser was relaunched for its holder. */
  isRelaunched(instance: Instance): boolean {
    return instance.config !== instance.configured;
  }

  /** Waits for what was begun for a holder. A mode that was this holder's alone ends with that. */
  async asConfigured(instance: Instance, begun: Promise<void>): Promise<void> {
    const [outcome] = await Promise.allSettled([begun]);
    if (this.isRelaunched(instance)) await this.#relaunch(instance, undefined);
    else if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #relaunch(instance: Instance, headless: boolean | undefined): Promise<void> {
    instance.browser?.retire();
    // Nobody can do more about a browser that does not close properly than to replace it.
    await instance.stop().catch(() => {});
    instance.runHeadless(headless);
    await instance.start();
    this.renewed(instance);
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
