import { PwpoolError } from '@pwpool/core';
import { type CancelTimer, systemClock } from '@pwpool/core/internal';
import { complain } from './output.js';

/** What a terminal or a supervisor sends to end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds that closing may take: longer than a browser is given before it is killed. */
const CLOSE_MS = 10_000;

/**
 * Turns the signals that end a process into an abort, for as long as there is something to close first. What is not
 * closed in time is left to the exit handlers, which kill it. A repeated signal changes nothing: npx passes on a Ctrl-C
 * that this process has had from the terminal itself.
 */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  #exitStatus: number | undefined;
  #cancelDeadline: CancelTimer | undefined;

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#interrupt);
  }

  readonly #interrupt = (name: NodeJS.Signals, number: number): void => {
    if (this.#exitStatus !== undefined) return;
    const exitStatus = 128 + number;
    this.#exitStatus = exitStatus;
    this.#cancelDeadline = systemClock.after(CLOSE_MS, () => {
      complain(`Not closed within ${CLOSE_MS} ms; leaving.`);
      process.exit(exitStatus);
    });
    this.#controller.abort(new PwpoolError('CANCELLED', `Ended by ${name}.`));
  };

  /** Aborts with a `CANCELLED` error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** 128 + the number of the signal, as a shell tells it; `undefined` if there was none. */
  get exitStatus(): number | undefined {
    return this.#exitStatus;
  }

  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.#interrupt);
    this.#cancelDeadline?.();
  }
}
