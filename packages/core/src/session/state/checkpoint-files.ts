import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '../../errors.js';
import { type SealedText, SealingKey, sealedSchema } from './state-cipher.js';

const sealedFileSchema = z.object({ sealed: sealedSchema });

export interface CheckpointFilesOptions {
  /** Made with mode 0700 by the first file. */
  directory: string;
  /** Encrypts the files. Without it they are plain JSON that only their user may read. */
  passphrase?: string | undefined;
  /** Where a person reads that the disk does not take them. */
  log: (line: string) => void;
}

/**
 * Small files for a process that takes the place of this one when it is killed: JSON, in folders. Each is replaced whole and
 * at once: when `write` returns, a kill does not lose it. They are not forced to the disk, since they need not outlive the
 * machine.
 */
export class CheckpointFiles {
  readonly #options: CheckpointFilesOptions;
  readonly #key: SealingKey | undefined;
  /** Of what other processes have sealed, by their salts: to derive one takes a tenth of a second. */
  readonly #foreignKeys = new Map<string, Promise<SealingKey>>();
  #hasComplained = false;

  private constructor(options: CheckpointFilesOptions, key: SealingKey | undefined) {
    this.#options = options;
    this.#key = key;
  }

  static async open(options: CheckpointFilesOptions): Promise<CheckpointFiles> {
    const { passphrase } = options;
    const key = passphrase === undefined ? undefined : await SealingKey.derive(passphrase);
    return new CheckpointFiles(options, key);
  }

  folders(): string[] {
    try {
      return readdirSync(this.#options.directory);
    } catch {
      return [];
    }
  }

  /** Never throws: who has a browser is served, whatever the disk says. */
  write(folder: string, name: string, value: unknown): void {
    const path = this.path(folder, name);
    try {
      this.makeFolder(folder);
      writeFileSync(`${path}.tmp`, this.encode(value, name), { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
    } catch (error) {
      this.complain(error);
    }
  }

  /** `undefined` for a file that is not there, is damaged or has another key. */
  async read<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      return await this.decode(readFileSync(this.path(folder, name), 'utf8'), name, schema);
    } catch {
      return undefined;
    }
  }

  makeFolder(folder: string): void {
    mkdirSync(join(this.#options.directory, folder), { recursive: true, mode: 0o700 });
  }

  path(folder: string, name: string): string {
    return join(this.#options.directory, folder, name);
  }

  /** As one line. @param name is bound to it: as another one it cannot be read */
  encode(value: unknown, name: string): string {
    const plain = JSON.stringify(value);
    return this.#key ? JSON.stringify({ sealed: this.#key.seal(plain, name) }) : plain;
  }

  /** `undefined` for what is damaged, of another form, or has another key. */
  async decode<T>(text: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      const found: unknown = JSON.parse(text);
      const sealed = sealedFileSchema.safeParse(found).data?.sealed;
      return schema.safeParse(sealed ? await this.#unseal(sealed, name) : found).data;
    } catch {
      return undefined;
    }
  }

  /** Told once: the disk that does not take one takes no other either. */
  complain(error: unknown): void {
    if (!this.#hasComplained)
      this.#options.log(`Sessions will not outlive a kill of this server: ${reasonOf(error)}`);
    this.#hasComplained = true;
  }

  /** Never throws: one that stays goes with its folder. */
  remove(folder: string, name: string): void {
    try {
      rmSync(this.path(folder, name), { force: true });
    } catch {
      // As above.
    }
  }

  /** Removes a folder, and the directory behind the last one. */
  removeFolder(folder: string): void {
    try {
      rmSync(join(this.#options.directory, folder), { recursive: true, force: true });
      rmdirSync(this.#options.directory);
    } catch {
      // There are others, or there never was one.
    }
  }

  async #unseal(sealed: SealedText, name: string): Promise<unknown> {
    const { passphrase } = this.#options;
    if (passphrase === undefined) return undefined;
    const { salt } = sealed;
    const key = this.#foreignKeys.get(salt) ?? SealingKey.derive(passphrase, Buffer.from(salt, 'base64'));
    this.#foreignKeys.set(salt, key);
    const opened = (await key).unseal(sealed, name);
    return 'plain' in opened ? JSON.parse(opened.plain) : undefined;
  }
}
