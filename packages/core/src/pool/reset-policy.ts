export type ResetMode = 'never' | 'session' | 'lease';

/**
 * When an instance gets a fresh context (`RESET`, architecture section 4).
 *
 * With `session` nothing passes into or out of a session or a lease of the library, while leases that keep the page,
 * such as those of one-shot calls (seed 000), find it as the last one of their kind left it.
 */
export class ResetPolicy {
  readonly #used = new Set<string>();

  /** The instance was used by some holder since it was last clean. */
  used(instance: string): void {
    this.#used.add(instance);
  }

  clean(instance: string): void {
    this.#used.delete(instance);
  }

  beforeLease(instance: string, keep: boolean, mode: ResetMode): boolean {
    return this.#used.has(instance) && this.afterLease(keep, mode);
  }

  afterLease(keep: boolean, mode: ResetMode): boolean {
    return mode === 'lease' || (mode === 'session' && !keep);
  }
}
