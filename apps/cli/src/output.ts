import { EXIT } from './exit-status.js';
import { fold } from './fold.js';

/** Writes a result as it is: with `tell` the only way to stdout, which carries nothing else. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a result that people read: on a terminal its lines are broken between words. */
export function tell(text: string): void {
  print(foldFor(process.stdout, text));
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Writes a diagnostic to stderr. */
export function complain(text: string): void {
  process.stderr.write(`${foldFor(process.stderr, text)}\n`);
}

/** The text as that stream shows it best: folded on a terminal, and to so many columns elsewhere. */
export function foldFor(
  { isTTY, columns }: NodeJS.WriteStream,
  text: string,
  elsewhere = Number.POSITIVE_INFINITY,
): string {
  return fold(text, isTTY ? columns || 80 : elsewhere);
}

/** An error as a person reads it: what happened, then what to do. Takes a PwpoolError, or its wire form. */
export function describeError(error: { code: string; message: string; hint?: string | undefined }): string {
  const { code, message, hint } = error;
  return `${code}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}

/**
 * Lets the command go on to its end and its own exit status when nobody reads its output any more (`| head`). Output
 * that could not be written for another reason, such as a full disk, is a failure.
 */
export function surviveBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      process.once('exit', () => {
        process.exitCode ||= EXIT.failure;
      });
      if (stream === process.stdout) complain(`The output cannot be written: ${error.message}`);
    });
  }
}

/** Resolves when everything written so far is out, or cannot be. */
export async function flushOutput(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
}
