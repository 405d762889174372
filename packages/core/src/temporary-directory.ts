import { tmpdir } from 'node:os';

/** As it was before this process had a folder of its own. */
let given: { directory: string; variable: string | undefined } | undefined;

/** Where this machine keeps temporary files, also while this process has a folder of its own for them. */
export function temporaryDirectory(): string {
  return given?.directory ?? tmpdir();
}

/** Whether this process has a folder of its own for temporary files. */
export function hasOwnTemporaryDirectory(): boolean {
  return given !== undefined;
}

/** Environment variables as this process was given them. */
export function givenEnvironment(): NodeJS.ProcessEnv {
  return given ? { ...process.env, TMPDIR: given.variable } : process.env;
}

/** Has all that this process makes where temporary files go, Playwright included, made in that folder from now on. */
export function useTemporaryDirectory(folder: string): void {
  given ??= { directory: tmpdir(), variable: process.env['TMPDIR'] };
  process.env['TMPDIR'] = folder;
}
