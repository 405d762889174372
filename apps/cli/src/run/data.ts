import { stat } from 'node:fs/promises';
import {
  type DataFormat,
  type DataRow,
  fileSource,
  inspectDataFile,
  openRows,
  type Rows,
  type RunIdentity,
} from '@pwpool/core/internal';
import { complain } from '../output.js';
import type { RunOptions } from './options.js';

/** Files up to this size are read once before, to tell how many rows there are. */
const COUNTED_BYTES = 50_000_000;

/** The rows of a run, and what is known of them before it begins. */
export interface RunData extends Rows {
  identity?: RunIdentity['data'];
  /** How many rows there are, if that was worth counting. */
  total?: number;
  /** Tells when the file has grown since it was looked at. */
  tellGrowth(): Promise<void>;
}

/**
 * Opens `--data`. A file is read as it is now: what is written to it later is not, and told.
 * @throws PwpoolError `INVALID_ARGUMENTS`
 */
export async function openData({ data, format, encoding }: RunOptions): Promise<RunData> {
  if (data === undefined) return { columns: undefined, rows: noData(), total: 1, tellGrowth: async () => {} };
  const given: { format?: DataFormat; encoding?: string } = {
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
  };
  if (data === '-') {
    const rows = await openRows({ name: 'stdin', ...given, open: () => process.stdin });
    return { ...rows, tellGrowth: async () => {} };
  }
  const { bytes, sha256 } = await inspectDataFile(data);
  const source = fileSource(data, bytes, given);
  const total = bytes <= COUNTED_BYTES ? await count((await openRows(source)).rows) : undefined;
  return {
    ...(await openRows(source)),
    identity: { file: data, sha256, bytes },
    ...(total === undefined ? {} : { total }),
    tellGrowth: async () => {
      const grown = (await stat(data)).size - bytes;
      if (grown > 0)
        complain(`${data} has grown by ${grown} bytes since the run began: --resume runs what was added.`);
    },
  };
}

async function count(rows: AsyncIterable<DataRow>): Promise<number> {
  let number = 0;
  for await (const _ of rows) number += 1;
  return number;
}

/** A script without data runs once. */
async function* noData(): AsyncGenerator<DataRow> {
  yield { number: 1, line: 1, value: {} };
}
