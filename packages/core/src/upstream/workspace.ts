import { accessSync, constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, join, parse, relative, resolve } from 'node:path';
import { KEYS } from '../config/keys.js';
import type { ToolArguments } from '../connection/tool-connection.js';
import type { Principal } from '../principals/principal.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { traitsOf } from './tool-table.js';

/** In the directory for output: folders of principals, which no session can have for its own. */
const PRINCIPALS = '@';

/** Where tools read and write files. */
export interface WorkFolders {
  /** File names are resolved against it, and files in it may be uploaded: the first root of the client. */
  readonly root: string;
  /** For files that the caller gave no name; what is in it may be uploaded too. */
  readonly outputDir: string;
}

/** The arguments of a call, once no file of somebody else is in its way. */
export interface PlacedCall {
  args: ToolArguments;
  /** What the caller is to know, in one line. */
  note?: string;
}

/** Whether a call names a file to write. */
export function namesFile(tool: string, args: ToolArguments): boolean {
  const argument = traitsOf(tool)?.writes;
  return argument !== undefined && typeof args[argument] === 'string';
}

/**
 * The folders of one holder, and the files that it has named. A file that is not its own is never overwritten: what it
 * writes goes beside it, under the next name that is free. Its own it may write again.
 */
export class Workspace implements WorkFolders, Disposable {
  readonly root: string;
  readonly outputDir: string;
  readonly #owners: Map<string, Workspace>;
  readonly #onDispose: () => void;

  /** Made by `Workspaces` only. */
  constructor(folders: WorkFolders, owners: Map<string, Workspace>, onDispose: () => void) {
    this.root = folders.root;
    this.outputDir = folders.outputDir;
    this.#owners = owners;
    this.#onDispose = onDispose;
  }

  /**
   * Gives the file that a call names to write, if it names one, a name that is free.
   * @param anywhere whether upstream lets the call write outside of the folders (`ALLOW_UNRESTRICTED_FILE_ACCESS`)
   */
  async place(tool: string, args: ToolArguments, anywhere: boolean): Promise<PlacedCall> {
    const argument = traitsOf(tool)?.writes;
    const name = argument === undefined ? undefined : args[argument];
    if (argument === undefined || typeof name !== 'string') return { args };
    if (!anywhere && !this.#isInside(name)) return { args };
    const free = await this.#claim(name);
    if (free === name) return { args };
    return {
      args: { ...args, [argument]: free },
      note: `${name} is not of this session and was kept: this is in ${free}.`,
    };
  }

  /**
   * Where a file lies that an answer names, if it is this holder's: one in its output directory, or one that it has
   * named. `undefined` for any other, whatever the page has made the answer say.
   */
  ownFile(name: string): string | undefined {
    const path = resolve(this.root, name);
    return isBelow(this.outputDir, path) || this.#owners.get(path) === this ? path : undefined;
  }

  [Symbol.dispose](): void {
    for (const [path, owner] of this.#owners) if (owner === this) this.#owners.delete(path);
    this.#onDispose();
  }

  /** What lies elsewhere upstream refuses, and nobody is to learn here whether it exists. */
  #isInside(name: string): boolean {
    const path = resolve(this.root, name);
    return [this.root, this.outputDir].some((folder) => isBelow(folder, path));
  }

  async #claim(name: string): Promise<string> {
    const { dir, name: stem, ext } = parse(name);
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : join(dir, `${stem}-${number}${ext}`);
      const path = resolve(this.root, candidate);
      if (this.#owners.get(path) !== this && (await isFile(path))) continue;
      // Another holder may have taken the name meanwhile, and not have written yet.
      const owner = this.#owners.get(path);
      if (owner !== undefined && owner !== this) continue;
      this.#owners.set(path, this);
      return candidate;
    }
  }
}

/** The workspaces of all holders at the moment. */
export class Workspaces {
  readonly #outputDir: string | undefined;
  readonly #folders = new Set<string>();
  readonly #owners = new Map<string, Workspace>();

  /** @param outputDir `OUTPUT_DIR`; without it, `.pwpool` in the root of each client */
  constructor(outputDir: string | undefined) {
    this.#outputDir = outputDir === undefined ? undefined : resolve(outputDir);
  }

  /** The directory for the folders of holders. Where upstream would not write into a root, this does not either. */
  outputDir(root: string = process.cwd()): string {
    return this.#outputDir ?? KEYS.OUTPUT_DIR.defaultIn.path(isUsable(root) ? root : temporaryDirectory());
  }

  /**
   * A workspace whose folder nobody else has while it lasts: of that name, or with a number behind it. That of a
   * principal with a folder of its own lies there, and is its root as well: no other file of this machine is its.
   */
  open(name: string, root: string = process.cwd(), { folder }: Pick<Principal, 'folder'> = {}): Workspace {
    if (folder === undefined) return this.openAt(join(this.outputDir(root), folderName(name)), root);
    return this.#open(join(this.outputDir(), PRINCIPALS, folder, folderName(name)), undefined);
  }

  /** As `open`, with the folder itself in place of its name. */
  openAt(base: string, root: string = process.cwd()): Workspace {
    return this.#open(base, root);
  }

  /** @param root the folder itself if left out */
  #open(base: string, root: string | undefined): Workspace {
    let outputDir = base;
    for (let number = 2; this.#folders.has(keyOf(outputDir)); number++) outputDir = `${base}-${number}`;
    this.#folders.add(keyOf(outputDir));
    const leave = () => void this.#folders.delete(keyOf(outputDir));
    return new Workspace({ root: root ?? outputDir, outputDir }, this.#owners, leave);
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** Some file systems take `Ada` and `ada` for the same. */
function keyOf(folder: string): string {
  return folder.toLowerCase();
}

/** A session may be called anything; a folder may not. */
function folderName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return plain.slice(0, 80) || 'session';
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Desktop applications start their servers in `/`, or in Windows' own directory. */
function isUsable(directory: string): boolean {
  const systemRoot = process.platform === 'win32' ? (process.env['SystemRoot'] ?? 'C:\\Windows') : undefined;
  const way = systemRoot === undefined ? undefined : relative(systemRoot, directory);
  if (parse(resolve(directory)).root === resolve(directory)) return false;
  if (way !== undefined && !way.startsWith('..') && !isAbsolute(way)) return false;
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
