import { cancelled } from '../waiting/deadline.js';

/** Runs calls one at a time, in order of arrival. A caller that gives up leaves the line. */
export class CallLine {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** True while no call runs or waits. */
  get idle(): boolean {
    return this.#length === 0;
  }

  /** How many wait behind the call that runs. */
  get waiting(): number {
    return Math.max(this.#length - 1, 0);
  }

  /**
   * Runs `call` when all calls before it are over.
   * @throws PwpoolError `CANCELLED` when the signal aborts before the turn has come; else what `call` throws
   */
  async run<T>(call: () => Promise<T>, what: string, signal?: AbortSignal): Promise<T> {
    const turn = this.#last;
    this.#length += 1;
    const mine = turn
      .then(async () => {
        if (signal?.aborted) throw cancelled(signal, what);
        return await call();
      })
      .finally(() => {
        this.#length -= 1;
      });
    this.#last = mine.catch(() => {});
    return await (signal ? untilAborted(mine, turn, signal, what) : mine);
  }
}

/** Rejects as soon as the signal aborts while still in line; once the call runs, it decides itself. */
async function untilAborted<T>(
  mine: Promise<T>,
  turn: Promise<unknown>,
  signal: AbortSignal,
  what: string,
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const leave = () => reject(cancelled(signal, what));
    signal.addEventListener('abort', leave, { once: true });
    const stay = () => signal.removeEventListener('abort', leave);
    turn.then(stay, stay);
    mine.then(resolve, reject).finally(stay);
    if (signal.aborted) leave();
  });
}
