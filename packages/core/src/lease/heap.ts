/** What an object carries to be a member of an `Heap`: at most one heap at a time. */
export interface HeapNode {
  /** Where the heap keeps it; written by the heap alone. */
  heapIndex: number;
}

/**
 * Intrusive binary heap: each member knows its place, so that it can be removed from anywhere without a search.
 * Adding and removing take time logarithmic in the number of members; looking at the next takes constant time.
 *
 * The heap trusts its owner: `add` wants a node that is in no heap, `remove` one that is in this heap, and what
 * `compare` looks at does not change while a node is in here.
 */
export class Heap<T extends HeapNode> {
  /** Each node stands before the two at twice its index plus 1 and 2. */
  readonly #nodes: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  /** `compare` is negative if `a` comes before `b`; it never gives 0 for two different nodes. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#nodes.length;
  }

  get next(): T | undefined {
    return this.#nodes[0];
  }

  add(node: T): void {
    this.#rise(node, this.#nodes.length);
  }

  remove(node: T): void {
    const last = this.#nodes.pop();
    if (!last || last === node) return;
    // The last one fills the gap. It may belong above the gap as well as below: it comes from another branch.
    this.#rise(last, node.heapIndex);
    this.#sink(last, last.heapIndex);
  }

  #rise(node: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#nodes[parentIndex];
      if (!parent || this.#compare(parent, node) < 0) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(node, index);
  }

  #sink(node: T, from: number): void {
    let index = from;
    for (;;) {
      const child = this.#firstChild(index);
      if (!child || this.#compare(node, child) < 0) break;
      const childIndex = child.heapIndex;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(node, index);
  }

  #firstChild(index: number): T | undefined {
    const left = this.#nodes[2 * index + 1];
    const right = this.#nodes[2 * index + 2];
    return left && right && this.#compare(right, left) < 0 ? right : left;
  }

  #put(node: T, index: number): void {
    this.#nodes[index] = node;
    node.heapIndex = index;
  }
}
