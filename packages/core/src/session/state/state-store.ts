import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftovers, replaceFile } from '../../atomic-file.js';
import { errnoOf, PwpoolError, reasonOf } from '../../errors.js';
import type { Principal } from '../../principals/principal.js';
import type { BrowserState } from './browser-state.js';
import { damaged, decodeStateFile, encodeStateFile, MAX_STATE_BYTES } from './state-file.js';

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
const EXTENSION = '.json';
/** Encrypted data is base64, a third longer; and a header. */
const MAX_FILE_BYTES = Math.ceil((MAX_STATE_BYTES * 4) / 3) + 4096;

export interface StateStoreOptions {
  /** Made with mode 0700 by the first `save`. */
  directory: string;
  /** Encrypts what is saved. Without it states are stored as plain JSON that only their user may read. */
  passphrase?: string | undefined;
}

/**
 * Saved browser states by name, one file each, which outlive the server.
 *
 * Several stores and processes may use one directory: a file is replaced whole or not at all, and the last one wins.
 */
export class StateStore {
  readonly #directory: string;
  readonly #passphrase: string | undefined;

  /** @throws PwpoolError `CONFIG_INVALID` for an empty passphrase */
  constructor({ directory, passphrase }: StateStoreOptions) {
    if (passphrase === '') {
      throw new PwpoolError('CONFIG_INVALID', 'The key for saved states is empty.', {
        hint: 'Set a key, or remove the setting to store states unencrypted.',
      });
    }
    this.#directory = directory;
    this.#passphrase = passphrase;
  }

  /** The states of a principal, which has a folder of its own; else these. */
  of(principal: Principal | undefined): StateStore {
    if (principal?.folder === undefined) return this;
    const directory = join(this.#directory, 'principals', principal.folder);
    return new StateStore({ directory, passphrase: this.#passphrase });
  }

  /**
   * Saves a state under a name, replacing what has that name.
   * @throws PwpoolError `INVALID_ARGUMENTS` for a bad name, `EXECUTION_ERROR` for a state that is too large or a disk
   *   that does not take it, `CONFIG_INVALID` for a directory that cannot be used
   */
  async save(name: string, state: BrowserState): Promise<void> {
    const file = this.#fileOf(name);
    const text = await encodeStateFile(name, state, this.#passphrase);
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw unusable(`The directory for saved states cannot be made: ${reasonOf(error)}`, error);
    }
    await this.#isThere();
    try {
      await removeLeftovers(this.#directory);
      await replaceFile(file, text);
    } catch (error) {
      throw new PwpoolError('EXECUTION_ERROR', `State '${name}' cannot be saved: ${reasonOf(error)}`, {
        hint: 'Ask whoever runs pwpool to make room on the disk, or to set STATE_DIR to another directory.',
        cause: error,
      });
    }
  }

  /**
   * @throws PwpoolError `SESSION_NOT_FOUND` with the names that there are, `INVALID_ARGUMENTS` for a bad name,
   *   `CONFIG_INVALID` for a missing or wrong key or a directory that cannot be used, `EXECUTION_ERROR` for a damaged
   *   file
   */
  async load(name: string): Promise<BrowserState> {
    const file = this.#fileOf(name);
    if (!(await this.#isThere())) throw await this.#notFound(name);
    let text: string;
    try {
      await using handle = await open(file, 'r');
      if ((await handle.stat()).size > MAX_FILE_BYTES) throw damaged(name);
      text = await handle.readFile('utf8');
    } catch (error) {
      if (error instanceof PwpoolError) throw error;
      if (isMissing(error)) throw await this.#notFound(name);
      throw new PwpoolError('EXECUTION_ERROR', `State '${name}' cannot be read: ${reasonOf(error)}`, {
        hint: 'Save it anew, or start without it.',
        cause: error,
      });
    }
    return await decodeStateFile(name, text, this.#passphrase);
  }

  #fileOf(name: string): string {
    if (NAME.test(name)) return join(this.#directory, `${name}${EXTENSION}`);
    throw new PwpoolError(
      'INVALID_ARGUMENTS',
      `${JSON.stringify(name)} is not a valid name for a saved state.`,
      {
        hint: 'Use 1 to 64 letters, digits, dots, underscores and hyphens, and no dot at the start.',
      },
    );
  }

  async #notFound(name: string): Promise<PwpoolError> {
    const valid = await this.#names();
    return new PwpoolError('SESSION_NOT_FOUND', `No state is saved under the name '${name}'.`, {
      hint:
        valid.length > 0
          ? `Use one of: ${valid.join(', ')}.`
          : 'Save one first: close_session with save and a name.',
      details: { name, valid },
    });
  }

  /** Whether the directory exists. What others could read or write is not used. */
  async #isThere(): Promise<boolean> {
    const directory = this.#directory;
    let found: Awaited<ReturnType<typeof lstat>>;
    try {
      found = await lstat(directory);
    } catch (error) {
      if (isMissing(error)) return false;
      throw unusable(`The directory for saved states cannot be read: ${reasonOf(error)}`, error);
    }
    if (!found.isDirectory()) throw unusable(`${directory} is not a directory.`);
    const uid = process.getuid?.();
    // Windows: neither owner nor mode mean anything there.
    if (uid === undefined) return true;
    if (found.uid !== uid) throw unusable(`${directory} belongs to another user.`);
    if ((found.mode & 0o077) === 0) return true;
    throw new PwpoolError('CONFIG_INVALID', `${directory} is open to other users of this machine.`, {
      hint: `Saved states hold logins. Ask whoever runs pwpool to run: chmod 700 ${directory}`,
      details: { directory },
    });
  }

  /** In alphabetical order. */
  async #names(): Promise<string[]> {
    if (!(await this.#isThere())) return [];
    return (await this.#fileNames())
      .filter((name) => name.endsWith(EXTENSION))
      .map((name) => name.slice(0, -EXTENSION.length))
      .filter((name) => NAME.test(name))
      .sort();
  }

  async #fileNames(): Promise<string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      throw unusable(`The directory for saved states cannot be read: ${reasonOf(error)}`, error);
    }
  }
}

function isMissing(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT';
}

function unusable(message: string, cause?: unknown): PwpoolError {
  return new PwpoolError('CONFIG_INVALID', message, {
    hint: 'Ask whoever runs pwpool to set STATE_DIR to a directory of its own that can be written to.',
    cause,
  });
}
