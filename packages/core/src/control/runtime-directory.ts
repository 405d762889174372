import { lstat, mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { errnoOf, PwpoolError, reasonOf } from '../errors.js';
import { temporaryDirectory } from '../temporary-directory.js';

const HINT = 'Set PWPOOL_RUNTIME_DIR to an absolute path of your own, or unset it.';

/**
 * Makes the per-user runtime directory with mode 0700 if it is missing, and returns its path
 * [arch-run-06].
 *
 * It is `$PWPOOL_RUNTIME_DIR` if set, else `$XDG_RUNTIME_DIR/pwpool` if that variable names a directory that
 * exists, else `<tmp>/pwpool-<uid>`.
 * @throws PwpoolError `CONFIG_INVALID` if it cannot be made, is a symbolic link or no directory, belongs to
 * another user, or is open to others
 */
export async function makeRuntimeDirectory(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const directory = await runtimeDirectoryPath(env);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') {
      throw invalid(`The runtime directory ${directory} cannot be made: ${reasonOf(error)}.`, HINT, error);
    }
  }
  // Checked after making it, and also when just made: in a shared /tmp someone else may have been first.
  await assertPrivate(directory);
  return directory;
}

/**
 * The runtime directory if it exists, else null: for a reader, which has no reason to make one.
 *
 * @throws PwpoolError `CONFIG_INVALID` as `makeRuntimeDirectory`
 */
export async function findRuntimeDirectory(env: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const directory = await runtimeDirectoryPath(env);
  return (await assertPrivate(directory)) ? directory : null;
}

async function runtimeDirectoryPath(env: NodeJS.ProcessEnv): Promise<string> {
  const own = env.PWPOOL_RUNTIME_DIR;
  if (own !== undefined) {
    if (!isAbsolute(own)) throw invalid(`PWPOOL_RUNTIME_DIR must be an absolute path, not "${own}".`, HINT);
    return resolve(own);
  }
  const xdg = env.XDG_RUNTIME_DIR;
  // The XDG base directory specification has relative paths ignored.
  if (xdg !== undefined && isAbsolute(xdg) && (await isDirectory(xdg))) return resolve(xdg, 'pwpool');
  // Windows has no uid, and a temporary directory of its own for each user.
  return resolve(join(temporaryDirectory(), `pwpool-${process.getuid?.() ?? 'user'}`));
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Returns false if there is nothing at that path. The path has no trailing slash, or lstat would follow a link. */
async function assertPrivate(directory: string): Promise<boolean> {
  let found: Awaited<ReturnType<typeof lstat>>;
  try {
    found = await lstat(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw invalid(`The runtime directory ${directory} cannot be read: ${reasonOf(error)}.`, HINT, error);
  }
  if (found.isSymbolicLink()) {
    throw invalid(
      `The runtime directory ${directory} is a symbolic link, which pwpool does not follow.`,
      HINT,
    );
  }
  if (!found.isDirectory()) throw invalid(`The runtime directory ${directory} is not a directory.`, HINT);
  const uid = process.getuid?.();
  // Windows: neither owner nor mode mean anything there.
  if (uid === undefined) return true;
  if (found.uid !== uid) {
    throw invalid(
      `The runtime directory ${directory} belongs to another user (uid ${found.uid}, not ${uid}).`,
      HINT,
    );
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw invalid(
      `The runtime directory ${directory} is open to other users (mode ${mode}).`,
      `Run: chmod 700 ${directory}`,
    );
  }
  return true;
}

function invalid(message: string, hint: string, cause?: unknown): PwpoolError {
  return new PwpoolError('CONFIG_INVALID', message, { hint, cause });
}
