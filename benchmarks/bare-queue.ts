import { systemClock } from '@pwpool/core/internal';

const nothing = () => {};

/** A member of the ring of waiters; the ring's own node has nobody waiting. */
class Node {
  previous: Node = this;
  next: Node = this;
  resolve: () => void = nothing;
  reject: (error: Error) => void = nothing;
  cancelTimer: () => void = nothing;
  signal: AbortSignal | undefined = undefined;
  onAbort: () => void = nothing;

  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.cancelTimer();
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}

/**
 * The floor of the comparison: first come, first served, with a promise, a timer and an abort listener for each waiter
 * and nothing else: no keys, no states, no counts, no grants to protect. What it costs, Node costs.
 */
export class BareQueue {
  #idle: number;
  readonly #timeoutMs: number;
  /** Its `next` is the first in line, its `previous` the last. */
  readonly #ring = new Node();

  constructor(entries: number, timeoutMs: number) {
    this.#idle = entries;
    this.#timeoutMs = timeoutMs;
  }

  acquire(signal?: AbortSignal): Promise<void> {
    if (this.#idle > 0) {
      this.#idle -= 1;
      return Promise.resolve();
    }
    // No closure here has a name: tsx would wrap it at each call to keep that name, and that is not the queue's cost.
    return new Promise((resolve, reject) => {
      const node = new Node();
      node.resolve = resolve;
      node.reject = reject;
      node.cancelTimer = systemClock.after(this.#timeoutMs, () => this.#reject(node));
      if (signal) {
        node.signal = signal;
        node.onAbort = () => this.#reject(node);
        signal.addEventListener('abort', node.onAbort);
      }
      node.previous = this.#ring.previous;
      node.next = this.#ring;
      node.previous.next = node;
      this.#ring.previous = node;
    });
  }

  release(): void {
    const first = this.#ring.next;
    if (first === this.#ring) {
      this.#idle += 1;
      return;
    }
    first.leave();
    first.resolve();
  }

  close(): void {
    while (this.#ring.next !== this.#ring) this.#reject(this.#ring.next);
  }

  #reject(node: Node): void {
    node.leave();
    node.reject(new Error('The wait ended.'));
  }
}
