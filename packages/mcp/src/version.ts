import { readFileSync } from 'node:fs';

/** Of this package, as published. */
export const VERSION: string = versionOnDisk();

/** Of the package that is installed now: it may have been replaced since this process started. */
export function versionOnDisk(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
