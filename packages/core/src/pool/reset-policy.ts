/** What a lease is taken for. */
export type LeaseKind = 'lease' | 'session';

export type ResetMode = 'never' | 'session' | 'lease';

/**
 * When an instance gets a fresh context (`RESET`, architecture section 4).
 *
 * With `session`, one-shot leases find the page as the last one left it, while nothing passes into or out of a session.
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

  beforeLease(instance: string, kind: LeaseKind, mode: ResetMode): boolean {
    if (!this.#used.has(instance)) return false;
    return mode === 'lease' || (mode === 'session' && kind === 'session');
  }

  afterLease(kind: LeaseKind, mode: ResetMode): boolean {
    return mode === 'lease' || (mode === 'session' && kind === 'session');
  }
}
