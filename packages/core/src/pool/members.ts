import type { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import { instanceNotFound } from './pool-errors.js';

/** The instances of a pool, by id and by alias. One that is to be removed is there until its browser is closed. */
export class Members implements Iterable<Instance> {
  readonly #pool: string;
  readonly #instances = new Map<string, Instance>();
  readonly #leaving = new Set<Instance>();

  constructor(pool: string) {
    this.#pool = pool;
  }

  get size(): number {
    return this.#instances.size;
  }

  [Symbol.iterator](): Iterator<Instance> {
    return this.#instances.values();
  }

  /** Those that are not about to be removed. */
  staying(): Instance[] {
    return [...this].filter((instance) => !this.#leaving.has(instance));
  }

  /** The instance of that id, also one that is leaving. */
  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  add(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** The instance is to be removed: `find` finds it no more. */
  leave(instance: Instance): void {
    this.#leaving.add(instance);
  }

  remove(instance: Instance): void {
    this.#instances.delete(instance.id);
    this.#leaving.delete(instance);
  }

  /**
   * The instance of that id or alias.
   * @throws PwpoolError `INSTANCE_NOT_FOUND` with the valid ones
   */
  find(wanted: string): Instance {
    const found =
      this.#instances.get(wanted) ??
      [...this].find(({ config }) => config.alias !== null && config.alias === wanted);
    if (!found || this.#leaving.has(found)) throw this.notFound(wanted);
    return found;
  }

  notFound(wanted: string): PwpoolError {
    return instanceNotFound(this.#pool, wanted, this.staying());
  }
}
