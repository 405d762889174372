import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errnoOf, PwpoolError, reasonOf } from '../errors.js';
import { isRunning, readProcessStart } from '../process-identity.js';
import { removeFile } from './remove-file.js';
import { findRuntimeDirectory } from './runtime-directory.js';

/**
 * What a running server tells of itself. Versions of pwpool read each other's entries: a later one may add fields,
 * and must not change the meaning of these.
 */
const serverEntrySchema = z.object({
  pid: z.int().positive(),
  /** Clock ticks since boot; null where the system does not tell. */
  processStart: z.int().nonnegative().nullable(),
  version: z.string(),
  /** Path of the control socket (on Windows, of the named pipe). */
  socketPath: z.string().min(1),
  /** Address of the MCP endpoint; null for a server on stdio. */
  httpAddress: z.string().nullable(),
  startedAt: z.iso.datetime(),
  cwd: z.string(),
});

export type ServerEntry = z.infer<typeof serverEntrySchema>;

export interface ServerRegistration {
  /** From `newServerId`; names the files of this server. */
  id: string;
  version: string;
  socketPath: string;
  httpAddress: string | null;
  startedAt: string;
}

/**
 * Only names of this form are ever read or removed: PWPOOL_RUNTIME_DIR may be a directory that holds other files
 * of the user as well.
 */
const OWN_FILE = /^(?<id>(?<pid>[1-9]\d{0,9})-[0-9a-f]{8})\.(?<kind>json|json\.tmp|sock)$/;

/** `<pid>-<random>`: unique also among the servers of one process. */
export function newServerId(): string {
  return `${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** The running servers of one user, as files `<id>.json` beside their sockets `<id>.sock` in the runtime directory. */
export class RuntimeRegistry {
  readonly #directory: string;

  /** @param directory what `makeRuntimeDirectory` or `findRuntimeDirectory` gave */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Enters this process; the socket should be listening by now. Disposing of the result removes entry and socket.
   *
   * @throws PwpoolError `CONFIG_INVALID` if the entry cannot be written
   */
  async register(registration: ServerRegistration): Promise<AsyncDisposable> {
    const { id, version, socketPath, httpAddress, startedAt } = registration;
    const file = join(this.#directory, `${id}.json`);
    try {
      const pid = process.pid;
      const processStart = await readProcessStart(pid);
      // Throws if the working directory has been removed.
      const cwd = process.cwd();
      const entry: ServerEntry = { pid, processStart, version, socketPath, httpAddress, startedAt, cwd };
      // Renamed into place, so that a reader never sees half an entry.
      await writeFile(`${file}.tmp`, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(`${file}.tmp`, file);
    } catch (error) {
      await this.#remove(id, ['json.tmp']);
      throw new PwpoolError('CONFIG_INVALID', `The server cannot be registered: ${reasonOf(error)}.`, {
        hint: 'Set PWPOOL_RUNTIME_DIR to a directory that can be written to.',
        cause: error,
      });
    }
    return { [Symbol.asyncDispose]: () => this.#remove(id, ['json', 'sock']) };
  }

  /**
   * The running servers, earliest first. Removes what ended servers left: entries, sockets, half-written files.
   *
   * A server counts as ended by its pid and process start alone, however slow it is to answer. A file that holds no
   * valid entry is judged by the pid in its name: it may come from another version of pwpool that is running.
   * @throws PwpoolError `CONFIG_INVALID` if the directory cannot be read
   */
  async list(): Promise<ServerEntry[]> {
    const running = new Map<string, ServerEntry>();
    const others: { id: string; pid: number; kind: string }[] = [];
    for (const name of await this.#fileNames()) {
      const { id, pid, kind } = OWN_FILE.exec(name)?.groups ?? {};
      if (id === undefined || pid === undefined || kind === undefined) continue;
      const entry = kind === 'json' ? await this.#read(name, Number(pid)) : null;
      if (entry === null) {
        others.push({ id, pid: Number(pid), kind });
      } else if (await isRunning(entry.pid, entry.processStart)) {
        running.set(id, entry);
      } else {
        await this.#remove(id, ['json', 'sock']);
      }
    }
    for (const { id, pid, kind } of others) {
      if (!running.has(id) && !(await isRunning(pid, null))) await this.#remove(id, [kind]);
    }
    return [...running.values()].sort(
      (a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt) || a.pid - b.pid,
    );
  }

  async #fileNames(): Promise<string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw new PwpoolError('CONFIG_INVALID', `The runtime directory cannot be read: ${reasonOf(error)}.`, {
        hint: 'Check the permissions of the directory, or set PWPOOL_RUNTIME_DIR to another one.',
        cause: error,
      });
    }
  }

  /** The entry in a file; null if it holds none, or one of another process than its name says. */
  async #read(name: string, pid: number): Promise<ServerEntry | null> {
    try {
      const entry = serverEntrySchema.parse(JSON.parse(await readFile(join(this.#directory, name), 'utf8')));
      return entry.pid === pid ? entry : null;
    } catch {
      return null;
    }
  }

  async #remove(id: string, kinds: readonly string[]): Promise<void> {
    for (const kind of kinds) {
      // Best effort: a stale file that cannot be removed is left out of the list all the same.
      await removeFile(join(this.#directory, `${id}.${kind}`)).catch(() => undefined);
    }
  }
}

/**
 * The running servers of this user, earliest started first.
 * @throws PwpoolError `CONFIG_INVALID` if the runtime directory is not to be trusted
 */
export async function runningServers(env?: NodeJS.ProcessEnv): Promise<ServerEntry[]> {
  const directory = await findRuntimeDirectory(env);
  return directory === null ? [] : await new RuntimeRegistry(directory).list();
}
