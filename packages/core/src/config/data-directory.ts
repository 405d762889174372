import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where pwpool keeps what lasts: profiles and saved states (XDG Base Directory Specification, `XDG_DATA_HOME`). */
export function dataDirectory(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = env['XDG_DATA_HOME'];
  // The specification has relative paths ignored.
  return join(base?.startsWith('/') ? base : join(homedir(), '.local', 'share'), 'pwpool');
}
