import { createRequire } from 'node:module';

/** Of this package, as published. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string })
  .version;
