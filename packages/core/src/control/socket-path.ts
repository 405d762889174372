import { join } from 'node:path';
import { PwpoolError } from '../errors.js';

/** Bytes of sun_path less the closing NUL: 108 on Linux, 104 on macOS and the BSDs. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * Where a server listens: a Unix domain socket of that name in the runtime directory, on Windows a named pipe.
 *
 * @throws PwpoolError `CONFIG_INVALID` if the path is too long for a socket: Node 20 would cut it off without a word
 * (nodejs/node#52347)
 */
export function socketPathOf(directory: string, name: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\pwpool-${name}`;
  const path = join(directory, `${name}.sock`);
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    throw new PwpoolError(
      'CONFIG_INVALID',
      `The runtime directory ${directory} is too deep: its socket paths have ${bytes} bytes, and the system allows ${MAX_SOCKET_PATH_BYTES}.`,
      { hint: 'Set PWPOOL_RUNTIME_DIR to a shorter path.' },
    );
  }
  return path;
}
