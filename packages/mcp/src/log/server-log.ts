import type { Clock, PwpoolConfig } from '@pwpool/core';
import { maskingOf, type Unsubscribe } from '@pwpool/core/internal';
import { LogFile } from './log-file.js';
import { type CallRecord, LEVELS, type LogLevel, type LogRecord } from './log-record.js';

/** How many records are kept for `pwpool logs`; the oldest go first. */
const KEPT = 1_000;

export interface ServerLogOptions {
  clock: Clock;
  config: PwpoolConfig;
  /** Where a person reads what goes on; never stdout of a server on stdio. */
  tell: (line: string) => void;
}

/**
 * The log of one server: the latest records in memory, all of them in `LOG_FILE` if there is one, and what is no call for a
 * person on stderr. Secrets are masked in all three.
 */
export class ServerLog implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #tell: (line: string) => void;
  readonly #file: LogFile | undefined;
  readonly #kept: LogRecord[] = [];
  readonly #followers = new Set<(record: LogRecord) => void>();
  #mask: (text: string) => string;
  #level: LogLevel;

  constructor({ clock, config, tell }: ServerLogOptions) {
    const { logLevel, logFile } = config.server;
    this.#clock = clock;
    this.#tell = tell;
    this.#mask = maskingOf(config);
    this.#level = logLevel;
    if (logFile !== undefined) this.#file = new LogFile(logFile, clock, tell);
  }

  /** The level and the secrets of another configuration hold from now on. */
  use(config: PwpoolConfig): void {
    this.#mask = maskingOf(config);
    this.#level = config.server.logLevel;
  }

  /** What goes on, for a person too. */
  write(level: LogLevel, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (!this.#has(level)) return;
    const msg = this.#mask(text);
    this.#tell(msg);
    this.#keep(level, msg, fields);
  }

  /** One call: on stderr it would be noise. */
  call({ client, session, tool, ms, code, principal }: CallRecord): void {
    if (!this.#has('info')) return;
    if (this.#has('debug')) this.#tell(`${client} ${session ?? '-'} ${tool} ${ms} ms ${code ?? 'ok'}`);
    const who = principal === undefined ? { client } : { principal, client };
    this.#keep('info', 'call', { ...who, session, tool, ms, code });
  }

  /** The latest records, the earliest first. */
  latest(count: number): readonly LogRecord[] {
    return count === 0 ? [] : this.#kept.slice(-count);
  }

  /** Calls `follower` for each record, until the returned function is called. */
  follow(follower: (record: LogRecord) => void): Unsubscribe {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  #has(level: LogLevel): boolean {
    return LEVELS.indexOf(level) <= LEVELS.indexOf(this.#level);
  }

  #keep(level: LogLevel, msg: string, fields: Readonly<Record<string, unknown>>): void {
    const record = { time: new Date(this.#clock.now()).toISOString(), level, msg, ...fields };
    this.#kept.push(record);
    if (this.#kept.length > KEPT) this.#kept.shift();
    this.#file?.write(record);
    for (const follower of this.#followers) follower(record);
  }
}
