import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** Where pwpool keeps what lasts: profiles and saved states (XDG Base Directory Specification, `XDG_DATA_HOME`). */
export function dataDirectory(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = env['XDG_DATA_HOME'];
  // The specification has relative paths ignored.
  return join(base?.startsWith('/') ? base : join(homedir(), '.local', 'share'), 'pwpool');
}

/**
 * Name of the folder for what belongs to one project, which its working directory stands for: its last part for people,
 * and a hash of the whole, so that two projects never meet.
 */
export function projectFolder(directory = process.cwd()): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 10);
  const name = basename(directory).replaceAll(/[^\w.-]+/g, '_');
  return name === '' ? hash : `${name}-${hash}`;
}
