import { timingSafeEqual } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { CancelTimer, Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import type { Principal, PrincipalLimits } from './principal.js';
import { hashToken } from './token.js';
import { readTokenFile, type TokenEntry } from './token-file.js';

/** Milliseconds between two looks at the file: so long a token that was revoked may still be good. */
const INTERVAL_MS = 1_000;

export interface FollowOptions {
  clock: Clock;
  /** The names of the pools that there are, asked whenever the file is read. */
  pools: () => readonly string[];
  /** Where whoever runs the server reads what became of a change. */
  log: (line: string) => void;
}

/**
 * Those who bear the tokens of a file (`HTTP_TOKENS_FILE`). A change of the file takes effect within a second, also for those
 * who are connected; a file that is at fault is refused whole, and the one before it goes on.
 */
export class Principals implements Disposable {
  readonly #path: string;
  /** Also of those whose token was revoked: who has it anew is the same principal. */
  readonly #known = new Map<string, Bearer>();
  /** Which file was read last, be it at fault. */
  #version: string | undefined;
  #cancelTimer: CancelTimer | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param pools the names of the pools that there are
   * @throws PwpoolError `CONFIG_INVALID` with every fault of the file
   */
  static async load(path: string, pools: readonly string[]): Promise<Principals> {
    const principals = new Principals(path);
    principals.#version = await versionOf(path);
    await principals.#read(pools);
    return principals;
  }

  /** Follows the changes of the file from now on, until this is disposed of. */
  start(options: FollowOptions): void {
    this.#cancelTimer ??= options.clock.after(INTERVAL_MS, () => void this.#follow(options));
  }

  /** Who bears the token. How long it takes tells nothing of the tokens that there are. */
  authenticate(token: string): Principal | undefined {
    const hash = hashToken(token);
    let found: Principal | undefined;
    for (const bearer of this.#known.values()) if (bearer.bears(hash)) found = bearer;
    return found;
  }

  [Symbol.dispose](): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #follow(options: FollowOptions): Promise<void> {
    const version = await versionOf(this.#path);
    if (version !== this.#version) {
      this.#version = version;
      await this.#reread(options);
    }
    // It may have been disposed of meanwhile.
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer = undefined;
    this.start(options);
  }

  async #reread({ pools, log }: FollowOptions): Promise<void> {
    try {
      await this.#read(pools());
      const names = [...this.#known.values()].flatMap(({ name, isRevoked }) => (isRevoked ? [] : [name]));
      log(`The tokens of ${this.#path} were read again. They are of: ${names.join(', ') || 'nobody'}.`);
    } catch (error) {
      if (!(error instanceof PwpoolError)) throw error;
      log(`The tokens of ${this.#path} have changed and are refused; those before go on. ${error.message}`);
    }
  }

  /** All of the file, or nothing of it. */
  async #read(pools: readonly string[]): Promise<void> {
    const entries = await readTokenFile(this.#path, pools);
    const byName = new Map(entries.map((entry) => [entry.name, entry]));
    for (const name of byName.keys()) if (!this.#known.has(name)) this.#known.set(name, new Bearer(name));
    for (const bearer of this.#known.values()) bearer.become(byName.get(bearer.name));
  }
}

/** Who bears a token, as the file has it now. Without an entry, for the token was revoked, it may do nothing. */
class Bearer implements Principal {
  readonly name: string;
  #entry: TokenEntry | undefined;
  #hash: Buffer | undefined;

  constructor(name: string) {
    this.name = name;
  }

  become(entry: TokenEntry | undefined): void {
    this.#entry = entry;
    this.#hash = entry && Buffer.from(entry.sha256, 'hex');
  }

  bears(hash: Buffer): boolean {
    return this.#hash !== undefined && timingSafeEqual(this.#hash, hash);
  }

  get isRevoked(): boolean {
    return this.#entry === undefined;
  }

  get pools(): Principal['pools'] {
    return this.#entry ? (this.#entry.pools ?? 'all') : [];
  }

  get limits(): PrincipalLimits {
    const {
      sessions,
      waiting_calls: waitingCalls,
      calls_per_minute: callsPerMinute,
    } = this.#entry?.limits ?? {};
    return { sessions, waitingCalls, callsPerMinute };
  }

  get admin(): boolean {
    return this.#entry?.admin ?? false;
  }

  get folder(): string {
    return this.name;
  }
}

/** Tells one content of the file from another; `undefined` for one that is not there. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs, mode } = await stat(path);
    return [ino, size, mtimeMs, mode].join(' ');
  } catch {
    return undefined;
  }
}
