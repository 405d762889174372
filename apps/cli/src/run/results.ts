import { PwpoolError } from '@pwpool/core';
import { inspectDataFile, ResultsFile, type ResultsMode, type RunIdentity } from '@pwpool/core/internal';
import { complain } from '../output.js';
import type { RunOptions } from './options.js';

/**
 * Opens `--out`, when results are not to go to stdout.
 * @throws PwpoolError `INVALID_ARGUMENTS`: as `ResultsFile.open`; for results of another script or of other data
 */
export async function openResults(
  { out, resume, retryFailed }: RunOptions,
  identity: RunIdentity,
): Promise<ResultsFile | undefined> {
  const mode: ResultsMode = retryFailed ? 'retry-failed' : resume ? 'resume' : 'new';
  if (out === undefined) {
    if (mode === 'new') return undefined;
    throw new PwpoolError(
      'INVALID_ARGUMENTS',
      `--${mode} needs --out: the results say which rows are left.`,
      {
        hint: 'Write results to a file from the beginning: --out results.jsonl',
      },
    );
  }
  if (mode !== 'new') await checkSame(out, identity);
  return ResultsFile.open(out, identity, mode);
}

/** Only what the results are of can be gone on with. Data may have grown. */
async function checkSame(out: string, now: RunIdentity): Promise<void> {
  const then = ResultsFile.identity(out);
  if (!then) return;
  if (then.script.sha256 !== now.script.sha256) {
    throw notTheSame(
      out,
      `${now.script.file} is not the script of these results (${then.script.file}), or has been changed since`,
    );
  }
  if (!then.data || !now.data) return;
  const { bytes } = then.data;
  const beginning = bytes < now.data.bytes ? await inspectDataFile(now.data.file, bytes) : now.data;
  if (beginning.sha256 !== then.data.sha256) {
    throw notTheSame(
      out,
      `${now.data.file} is not the data of these results (${then.data.file}), or has been changed since`,
    );
  }
  const grown = now.data.bytes - bytes;
  if (grown > 0)
    complain(`${now.data.file} has grown by ${grown} bytes since: what was added is run as well.`);
}

function notTheSame(out: string, fact: string): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `${fact}: ${out} cannot be resumed.`, {
    hint: 'Begin with another --out, or give the script and the data as they were.',
  });
}
