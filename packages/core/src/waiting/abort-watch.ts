interface Group<T> {
  readonly members: Set<T>;
  readonly onAbort: () => void;
}

/**
 * Listens to each signal once, however many members wait on it, and only as long as one does.
 *
 * One signal often covers a whole batch of waits. A listener for each would make Node warn of a leak from the 11th on,
 * and search all the others whenever one is added.
 */
export class AbortWatch<T> {
  readonly #onAbort: (member: T, signal: AbortSignal) => void;
  readonly #groups = new Map<AbortSignal, Group<T>>();

  /** `onAbort` is called for each member of a signal that aborts, in the order they were added. */
  constructor(onAbort: (member: T, signal: AbortSignal) => void) {
    this.#onAbort = onAbort;
  }

  add(signal: AbortSignal, member: T): void {
    const group = this.#groups.get(signal) ?? this.#listen(signal);
    group.members.add(member);
  }

  delete(signal: AbortSignal, member: T): void {
    const group = this.#groups.get(signal);
    if (!group?.members.delete(member) || group.members.size > 0) return;
    signal.removeEventListener('abort', group.onAbort);
    this.#groups.delete(signal);
  }

  #listen(signal: AbortSignal): Group<T> {
    const members = new Set<T>();
    const onAbort = () => {
      for (const member of members) this.#onAbort(member, signal);
    };
    const group = { members, onAbort };
    this.#groups.set(signal, group);
    signal.addEventListener('abort', onAbort);
    return group;
  }
}
