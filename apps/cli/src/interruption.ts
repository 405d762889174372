import { PwpoolError } from '@pwpool/core';

/** What a terminal or a supervisor sends to end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Turns the signals that end a process into an abort, for as long as there is something to close first. A repeated
 * signal changes nothing: npx passes on a Ctrl-C that this process has had from the terminal itself.
 */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  #exitStatus: number | undefined;

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#interrupt);
  }

  readonly #interrupt = (name: NodeJS.Signals, number: number): void => {
    this.#exitStatus ??= 128 + number;
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
  }
}
