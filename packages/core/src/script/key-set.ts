/** Empty places of the table. */
const NONE = 0n;

/** Keys as `keyOfRow` makes them, in some twenty bytes each, so that there may be millions. */
export class KeySet {
  #table = new BigUint64Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    const value = numberOf(key);
    return this.#table[placeOf(this.#table, value)] === value;
  }

  add(key: string): void {
    const value = numberOf(key);
    const place = placeOf(this.#table, value);
    if (this.#table[place] === value) return;
    this.#table[place] = value;
    this.#size += 1;
    if (this.#size * 4 > this.#table.length * 3) this.#grow();
  }

  #grow(): void {
    const table = new BigUint64Array(this.#table.length * 2);
    for (const value of this.#table) if (value !== NONE) table[placeOf(table, value)] = value;
    this.#table = table;
  }
}

/** A digest is as good as random: where it stands is its own beginning. */
function placeOf(table: BigUint64Array, value: bigint): number {
  const mask = table.length - 1;
  let place = Number(value & BigInt(mask));
  while (table[place] !== NONE && table[place] !== value) place = (place + 1) & mask;
  return place;
}

function numberOf(key: string): bigint {
  return BigInt(`0x${key}`) || 1n;
}
