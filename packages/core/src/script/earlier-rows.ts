const UNKNOWN = 0;
const DONE = 1;
const FAILED = 2;

/** What is known of rows that ran before: five bytes a row, so that there may be millions. */
export class EarlierRows {
  #states = new Uint8Array(1024);
  /** The beginning of the key of each. */
  #keys = new Uint32Array(1024);
  #done = 0;
  #failed = 0;

  get done(): number {
    return this.#done;
  }

  get failed(): number {
    return this.#failed;
  }

  add(row: number, key: string, ok: boolean): void {
    if (row >= this.#states.length) this.#grow(row);
    if (this.#states[row] !== UNKNOWN) return;
    this.#states[row] = ok ? DONE : FAILED;
    this.#keys[row] = beginningOf(key);
    if (ok) this.#done += 1;
    else this.#failed += 1;
  }

  has(row: number): boolean {
    return (this.#states[row] ?? UNKNOWN) !== UNKNOWN;
  }

  /** False for a row that was another one then. */
  isSame(row: number, key: string): boolean {
    return this.#keys[row] === beginningOf(key);
  }

  #grow(row: number): void {
    const size = 2 ** Math.ceil(Math.log2(row + 1));
    const states = new Uint8Array(size);
    const keys = new Uint32Array(size);
    states.set(this.#states);
    keys.set(this.#keys);
    this.#states = states;
    this.#keys = keys;
  }
}

function beginningOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16);
}
