import { open } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '@pwpool/core';
import { reasonOf, within } from '@pwpool/core/internal';
import type { LogRecord } from './log-record.js';

/** Bytes that wait for a disk that is slow or full; what comes then is lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Milliseconds that the last records have to get to the disk. */
const CLOSE_MS = 1_000;

interface OpenFile {
  write(record: LogRecord): void;
  close(): Promise<void>;
}

/**
 * `LOG_FILE`: a JSON object a line, appended. A file that cannot be written costs its records, which is told once, and
 * nothing else; as soon as there is room again it goes on.
 */
export class LogFile implements AsyncDisposable {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #tell: (line: string) => void;
  /** Begun with the first record: a start does not wait for what writes logs. */
  #opening: Promise<void> | undefined;
  #open: OpenFile | undefined;
  readonly #early: LogRecord[] = [];
  #told = false;

  constructor(path: string, clock: Clock, tell: (line: string) => void) {
    this.#path = path;
    this.#clock = clock;
    this.#tell = tell;
  }

  write(record: LogRecord): void {
    if (this.#open) this.#open.write(record);
    else if (!this.#told) this.#early.push(record);
    this.#opening ??= this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await within(this.#clock, CLOSE_MS, async () => {
      await this.#opening;
      await this.#open?.close();
    });
  }

  async #begin(): Promise<void> {
    try {
      this.#open = await openFile(this.#path, (error) => this.#fail(error));
      for (const record of this.#early.splice(0)) this.#open.write(record);
    } catch (error) {
      this.#early.length = 0;
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#told) return;
    this.#told = true;
    this.#tell(
      `The log file ${this.#path} cannot be written: ${reasonOf(error)}. The server goes on without it.`,
    );
  }
}

async function openFile(path: string, onError: (error: unknown) => void): Promise<OpenFile> {
  const { pino } = await import('pino');
  await mkdir(dirname(path), { recursive: true });
  // By ourselves: a process that ends while pino opens a file, or after it could not, ends with an exception.
  const file = await promisify(open)(path, 'a', 0o600);
  const destination = pino.destination({ dest: file, sync: false, maxLength: MAX_WAITING_BYTES });
  let faulty = false;
  destination.on('error', (error: unknown) => {
    faulty = true;
    onError(error);
  });
  destination.on('write', () => {
    faulty = false;
  });
  const logger = pino(
    // What is written is decided before; the time is that of the record.
    {
      level: 'trace',
      base: { pid: process.pid },
      timestamp: false,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  );
  return {
    write: ({ level, msg, ...fields }) => {
      try {
        logger[level](fields, msg);
      } catch (error) {
        onError(error);
      }
    },
    close: async () => {
      // What waits for a disk that takes nothing would be waited for in vain.
      if (faulty) return destination.destroy();
      const closed = new Promise<void>((resolve) => destination.once('close', () => resolve()));
      destination.end();
      await closed;
    },
  };
}
