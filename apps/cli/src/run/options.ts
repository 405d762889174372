import type { DataFormat } from '@pwpool/core/internal';
import type { ConfigOptions } from '../configuration.js';

/** What `pwpool run` is given beside its script. */
export interface RunOptions extends ConfigOptions {
  pool?: string;
  instance?: string;
  data?: string;
  format?: DataFormat;
  encoding?: string;
  concurrency?: number;
  tabs?: number;
  /** A process id or a URL; `true`: the only one that runs. */
  server?: string | true;
  retries: number;
  out?: string;
  resume?: true;
  retryFailed?: true;
  ordered?: true;
  unique?: true;
  only?: string;
  limit?: number;
  halt: string;
  dryRun?: true;
  files?: string;
  report?: string;
  /** Print the JSON schema of a script, and nothing else. */
  schema?: true;
}

/** Options that only mean something for rows. */
const OF_ROWS = [
  'data',
  'concurrency',
  'tabs',
  'server',
  'out',
  'resume',
  'retryFailed',
  'ordered',
  'unique',
  'only',
  'limit',
  'dryRun',
  'files',
  'report',
] as const;

/** Whether rows are run, also if it is but one without data: else a list of steps, whose answers are printed. */
export function wantsRows(options: RunOptions): boolean {
  return OF_ROWS.some((name) => options[name] !== undefined);
}
