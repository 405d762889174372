import type { PwpoolError } from '../errors.js';
import { instanceNotFound } from './pool-errors.js';
import type { Service, Slot } from './slot.js';

/** The slots of a pool, by id and by alias. One that is to be removed is there until its browser is closed. */
export class Slots implements Iterable<Slot> {
  readonly #pool: string;
  readonly #slots = new Map<string, Slot>();
  /** Those that nobody should wait for, by why: nothing on the way of a lease looks at all slots. */
  readonly #absent: Record<Exclude<Service, 'in'>, Set<Slot>> = { 'given-up': new Set(), out: new Set() };

  constructor(pool: string) {
    this.#pool = pool;
  }

  [Symbol.iterator](): Iterator<Slot> {
    return this.#slots.values();
  }

  /** Those that are not about to be removed. */
  staying(): Slot[] {
    return [...this].filter(({ leaving }) => !leaving);
  }

  /** Those that have failed for good. */
  get givenUp(): ReadonlySet<Slot> {
    return this.#absent['given-up'];
  }

  /** Whether one of them is worth waiting for. */
  get isOpen(): boolean {
    return this.#absent['given-up'].size + this.#absent.out.size < this.#slots.size;
  }

  /** The slot of that id, also one that is leaving. */
  get(id: string): Slot | undefined {
    return this.#slots.get(id);
  }

  add(slot: Slot): void {
    this.#slots.set(slot.id, slot);
  }

  remove(slot: Slot): void {
    this.put(slot, 'in');
    this.#slots.delete(slot.id);
  }

  /** Takes an instance out of service, or back into it. */
  put(slot: Slot, service: Service): void {
    if (slot.service !== 'in') this.#absent[slot.service].delete(slot);
    if (service !== 'in') this.#absent[service].add(slot);
    slot.service = service;
  }

  /**
   * The slot of that id or alias.
   * @throws PwpoolError `INSTANCE_NOT_FOUND` with the valid ones
   */
  find(wanted: string): Slot {
    const found =
      this.#slots.get(wanted) ??
      [...this].find(({ instance }) => instance.config.alias !== null && instance.config.alias === wanted);
    if (!found || found.leaving) throw this.notFound(wanted);
    return found;
  }

  notFound(wanted: string): PwpoolError {
    return instanceNotFound(
      this.#pool,
      wanted,
      this.staying().map(({ instance }) => instance),
    );
  }
}
