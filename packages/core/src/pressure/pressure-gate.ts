/** By how many points use must fall below the limit before browsers are started again. */
const HYSTERESIS = 5;

/**
 * One limit on starting browsers. It closes when use reaches the limit and opens only when use is well below it again:
 * else every start that it admits would close it.
 */
export class PressureGate {
  readonly #resource: string;
  readonly #setting: string;
  readonly #limit: number;
  #used = 0;
  #closed = false;

  /** `limit` in percent; `resource` as in "96 % of the memory". */
  constructor(resource: string, setting: string, limit: number) {
    this.#resource = resource;
    this.#setting = setting;
    this.#limit = limit;
  }

  /** Takes a new reading, in percent. What cannot be known closes nothing. */
  update(used: number | undefined): void {
    this.#used = used ?? 0;
    this.#closed = this.#used >= this.#limit || (this.#closed && this.#used > this.#admitsAt);
  }

  /** Why it is closed. */
  get reason(): string | undefined {
    if (!this.#closed) return undefined;
    if (this.#used >= this.#limit) {
      return `${Math.floor(this.#used)} % of ${this.#resource} is in use, and ${this.#setting} is ${this.#limit} %`;
    }
    return (
      `${Math.ceil(this.#used)} % of ${this.#resource} is in use, which has to fall to ${this.#admitsAt} % ` +
      `after it reached ${this.#setting}, ${this.#limit} %`
    );
  }

  get #admitsAt(): number {
    return Math.max(this.#limit - HYSTERESIS, 1);
  }
}
