import { cancelled } from '../clock.js';

/** Runs calls one at a time, in order of arrival. A caller that gives up leaves the line. */
export class CallLine {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `call` when all calls before it are over.
   * @throws PwpoolError `CANCELLED` when the signal aborts before the turn has come; else what `call` throws
   */
  async run<T>(call: () => Promise<T>, what: string, signal?: AbortSignal): Promise<T> {
    const turn = this.#last;
    const mine = turn.then(async () => {
      if (signal?.aborted) throw cancelled(signal, what);
      return await call();
    });
    this.#last = mine.catch(() => {});
    if (!signal) return await mine;
    return await untilAborted(mine, turn, signal, what);
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
