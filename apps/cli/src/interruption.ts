import { PwpoolError } from '@pwpool/core';
import { type CancelTimer, systemClock } from '@pwpool/core/internal';
import { complain } from './output.js';

/** What a terminal or a supervisor sends to end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds that closing may take: longer than a browser is given before it is killed. */
const CLOSE_MS = 10_000;

/** Milliseconds in which a repeated Ctrl-C is the same one: npx passes on what this process has had from the terminal itself. */
const SAME_MS = 500;

/**
 * Turns the signals that end a process into an abort, for as long as there is something to close first. What is not
 * closed in time is left to the exit handlers, which kill it. A repeated signal changes nothing, unless the first Ctrl-C only
 * stops what has not begun.
 */
export class Interruption implements Disposable {
  readonly #stop = new AbortController();
  readonly #controller = new AbortController();
  readonly #gently: boolean;
  #exitStatus: number | undefined;
  #firstAt: number | undefined;
  #cancelDeadline: CancelTimer | undefined;
  #outputLost: (() => void) | undefined;

  /** @param gently the first Ctrl-C aborts `stop` only, the second `signal` as well */
  constructor({ gently = false } = {}) {
    this.#gently = gently;
    for (const name of SIGNALS) process.on(name, this.#interrupt);
  }

  readonly #interrupt = (name: NodeJS.Signals, number: number): void => {
    if (this.signal.aborted) return;
    this.#exitStatus ??= 128 + number;
    const now = systemClock.now();
    if (this.#gently && name === 'SIGINT') {
      this.#firstAt ??= now;
      this.#stop.abort();
      if (now - this.#firstAt < SAME_MS) return;
    }
    this.end(new PwpoolError('CANCELLED', `Ended by ${name}.`), this.#exitStatus);
  };

  /** Aborts at the first sign that the command is to end. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborts with a `CANCELLED` error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** 128 + the number of the signal, as a shell tells it; `undefined` if there was none. */
  get exitStatus(): number | undefined {
    return this.#exitStatus;
  }

  /** Ends the command with that exit status once its output goes nowhere: nobody reads it, or the terminal is gone. */
  endWithOutput(exitStatus: number): void {
    this.#outputLost = () => this.end(new PwpoolError('CANCELLED', 'Nobody reads any more.'), exitStatus);
    process.stdout.once('error', this.#outputLost);
  }

  /** Ends the command as a signal does, with that exit status. */
  end(reason: PwpoolError, exitStatus: number): void {
    if (this.signal.aborted) return;
    this.#exitStatus = exitStatus;
    this.#cancelDeadline = systemClock.after(CLOSE_MS, () => {
      complain(`Not closed within ${CLOSE_MS} ms; leaving.`);
      process.exit(exitStatus);
    });
    this.#controller.abort(reason);
    this.#stop.abort();
  }

  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.#interrupt);
    if (this.#outputLost) process.stdout.off('error', this.#outputLost);
    this.#cancelDeadline?.();
  }
}
