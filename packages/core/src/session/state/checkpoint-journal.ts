import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CHECKPOINT_PARTS, type Checkpoint, type CheckpointPart } from './checkpoint.js';
import type { CheckpointFiles } from './checkpoint-files.js';

/** Bytes that the file may have beside what holds, before it is written anew. */
const MOST_OUTDATED = 256 * 1024;

const entrySchema = z.discriminatedUnion('part', [
  CHECKPOINT_PARTS.pages.extend({ part: z.literal('pages') }),
  CHECKPOINT_PARTS.cookies.extend({ part: z.literal('cookies') }),
  CHECKPOINT_PARTS.state.extend({ part: z.literal('state') }),
]);

/**
 * The parts of a checkpoint, each a line of one file, where the last line of a part holds. An answer waits for it to be written:
 * a line goes behind a file that stays open in microseconds, while to make and rename a file takes milliseconds on a disk that
 * is busy.
 */
export class CheckpointJournal {
  readonly #files: CheckpointFiles;
  readonly #folder: string;
  readonly #name: string;
  /** The line of each part that holds. */
  readonly #latest = new Map<CheckpointPart, string>();
  #file: number | undefined;
  /** How long the file may get. */
  #room = 0;

  constructor(files: CheckpointFiles, folder: string, name: string) {
    this.#files = files;
    this.#folder = folder;
    this.#name = name;
  }

  /** What another process has left. A line that a kill has cut short counts for nothing. */
  async load(): Promise<Checkpoint> {
    const found: Checkpoint = {};
    for (const line of this.#lines()) {
      const entry = await this.#files.decode(line, this.#name, entrySchema);
      if (!entry) continue;
      this.#latest.set(entry.part, line);
      Object.assign(found, { [entry.part]: entry });
    }
    return found;
  }

  /** When it returns, a kill does not lose it. Never throws. */
  append<Part extends CheckpointPart>(part: Part, value: NonNullable<Checkpoint[Part]>): void {
    const line = this.#files.encode({ part, ...value }, this.#name);
    this.#latest.set(part, line);
    try {
      const bytes = Buffer.byteLength(line) + 1;
      if (this.#file === undefined || bytes > this.#room) this.#begin();
      else {
        writeFileSync(this.#file, `${line}\n`);
        this.#room -= bytes;
      }
    } catch (error) {
      // Its last line may be half of one.
      this.#close();
      this.#files.complain(error);
    }
  }

  remove(): void {
    this.#close();
    this.#files.remove(this.#folder, this.#name);
  }

  /** Puts a file with nothing but what holds in the place of the one that is there. */
  #begin(): void {
    this.#close();
    const path = this.#files.path(this.#folder, this.#name);
    const text = [...this.#latest.values()].map((line) => `${line}\n`).join('');
    this.#files.makeFolder(this.#folder);
    this.#file = openSync(`${path}.tmp`, 'w', 0o600);
    writeFileSync(this.#file, text);
    renameSync(`${path}.tmp`, path);
    this.#room = MOST_OUTDATED + Buffer.byteLength(text);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #lines(): string[] {
    try {
      return readFileSync(this.#files.path(this.#folder, this.#name), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }
}
