import { PwpoolError } from '../errors.js';
import type { EarlierRows } from './earlier-rows.js';
import { KeySet } from './key-set.js';
import { evaluate, isTrue } from './references.js';
import { type DataRow, keyOfRow } from './rows.js';

/** Which rows are run. */
export interface Selection {
  /** An expression that is true for them. */
  only?: string | undefined;
  /** For `only`, beside `row`. */
  names?: Readonly<Record<string, unknown>> | undefined;
  /** Of rows that are alike, the first. */
  unique?: boolean | undefined;
  /** So many at most. */
  limit?: number | undefined;
  /** Not those that have results. */
  earlier?: EarlierRows | undefined;
}

/** A row that is run. */
export interface SelectedRow extends DataRow {
  readonly key: string;
}

/** How many rows were left out, and why. */
export class LeftOut {
  /** They have results. */
  earlier = 0;
  duplicates = 0;
  /** `only` is not true for them. */
  others = 0;
}

/**
 * The rows that are run, in the order of the data. What is left out is counted.
 * @throws PwpoolError `INVALID_ARGUMENTS` when a row that has a result is not the one that had it
 */
export async function* selectRows(
  rows: AsyncIterable<DataRow>,
  { only, names, unique, limit = Number.POSITIVE_INFINITY, earlier }: Selection,
  leftOut: LeftOut,
): AsyncGenerator<SelectedRow> {
  const seen = new KeySet();
  let count = 0;
  if (limit <= 0) return;
  for await (const row of rows) {
    const key = keyOfRow(row);
    const isKnown = earlier?.has(row.number) ?? false;
    if (isKnown && earlier && !earlier.isSame(row.number, key)) throw changed(row);
    const isDuplicate = unique === true && seen.has(key);
    if (unique) seen.add(key);
    if (isKnown) leftOut.earlier += 1;
    else if (only !== undefined && !row.fault && !isTrue(evaluate(only, { ...names, row: row.value })))
      leftOut.others += 1;
    else if (isDuplicate) leftOut.duplicates += 1;
    else {
      yield { ...row, key };
      count += 1;
      if (count >= limit) return;
    }
  }
}

function changed({ number, line }: DataRow): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `Row ${number} (line ${line}) is not the row that has a result already.`,
    {
      hint: 'The data has changed since. Give it as it was, or begin with another --out.',
    },
  );
}
