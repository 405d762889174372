/** What an object carries to be a member of a `LinkedList`: at most one list at a time. */
export interface ListNode<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * Intrusive doubly linked list: the links live in the members, so adding allocates nothing and removing a member
 * from anywhere takes constant time.
 *
 * The list trusts its owner: `append` wants a node that is in no list, `remove` one that is in this list.
 */
export class LinkedList<T extends ListNode<T>> {
  #first: T | undefined;
  #last: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

  get last(): T | undefined {
    return this.#last;
  }

  append(node: T): void {
    node.previous = this.#last;
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
  }

  remove(node: T): void {
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    node.previous = undefined;
    node.next = undefined;
  }
}
