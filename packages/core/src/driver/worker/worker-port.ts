import type { Clock } from '../../clock.js';
import type { Endpoint } from '../../config/endpoint.js';
import { fullReasonOf } from '../../connection/request-failure.js';
import { errnoOf, PwpoolError } from '../../errors.js';
import { withDeadline } from '../../waiting/deadline.js';

/** Milliseconds that a port has to answer. A browser does so at once, but for a machine that is very busy. */
const ANSWER_MS = 5_000;

/** The debugging port of a worker browser, on this machine. */
export class WorkerPort {
  readonly number: number;
  readonly #clock: Clock;

  constructor(number: number, clock: Clock) {
    this.number = number;
    this.#clock = clock;
  }

  /**
   * The browser that listens there; `undefined` when nothing does.
   * @throws PwpoolError `BROWSER_NOT_READY` when what listens is no browser
   */
  async browser(): Promise<Endpoint | undefined> {
    const version = await this.#ask('/json/version');
    if (version === undefined) return undefined;
    const address = (version as { webSocketDebuggerUrl?: unknown } | null)?.webSocketDebuggerUrl;
    if (typeof address !== 'string' || !URL.canParse(address)) throw this.#taken('no browser answers');
    // Only the path is taken, so that whatever answers cannot send us elsewhere.
    const url = `ws://127.0.0.1:${this.number}${new URL(address).pathname}`;
    return { kind: 'cdp', url, label: url };
  }

  /** Whether the browser that listens there has that page. */
  async shows(targetId: string): Promise<boolean> {
    const targets = await this.#ask('/json/list');
    return Array.isArray(targets) && targets.some((target: { id?: unknown }) => target.id === targetId);
  }

  /** What it answers; `undefined` when nothing listens. */
  async #ask(path: string): Promise<unknown> {
    const onTimeout = () => this.#taken(`nothing answers within ${ANSWER_MS} ms`);
    const options = { clock: this.#clock, timeoutMs: ANSWER_MS, onTimeout };
    return await withDeadline(options, 'asking', async (signal) => {
      try {
        const url = `http://127.0.0.1:${this.number}${path}`;
        const response = await fetch(url, { signal, redirect: 'error', headers: { connection: 'close' } });
        return await response.json();
      } catch (error) {
        if (error instanceof Error && errnoOf(error.cause) === 'ECONNREFUSED') return undefined;
        throw this.#taken('no browser answers', error);
      }
    });
  }

  #taken(what: string, cause?: unknown): PwpoolError {
    return new PwpoolError(
      'BROWSER_NOT_READY',
      `Port ${this.number} is taken, and ${what} there${cause === undefined ? '' : ` (${fullReasonOf(cause)})`}.`,
      {
        hint: `End what listens on 127.0.0.1:${this.number}, or set CDP_PORT_BASE to ports that are free.`,
        details: { port: this.number },
        cause,
      },
    );
  }
}
