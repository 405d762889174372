import type { Clock } from '../clock.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import type { Lease, ReleaseOptions } from '../pool/lease.js';
import { CallLine } from './call-line.js';

/** Seed 003, `list_sessions`; the fields after `capabilities` are pwpool's own. */
export interface SessionInfo {
  sessionId: string;
  type: 'browser';
  capabilities: { browserName: string; headless: boolean };
  browser_pool: string;
  browser_instance: string;
  /** ISO 8601. */
  createdAt: string;
  lastUsedAt: string;
}

export interface SessionOptions {
  id: string;
  client: string;
  lease: Lease;
  clock: Clock;
}

/** A named, sticky lease: the calls that bear its id reach the same browser, in order. */
export class Session {
  readonly id: string;
  /** The client that started it and alone may use it. */
  readonly client: string;
  readonly lease: Lease;
  readonly #clock: Clock;
  readonly #line = new CallLine();
  readonly #createdAt: number;
  #lastUsedAt: number;

  constructor(options: SessionOptions) {
    this.#clock = options.clock;
    this.id = options.id;
    this.client = options.client;
    this.lease = options.lease;
    this.#createdAt = this.#lastUsedAt = options.clock.now();
  }

  /**
   * Runs one tool in the session's browser, after the calls before it.
   * @throws PwpoolError `SESSION_EXPIRED` when its browser was lost earlier, else as `Lease.callTool`
   */
  async callTool(
    name: string,
    args: ToolArguments,
    options: { signal?: AbortSignal } = {},
  ): Promise<ToolResult> {
    const call = async () => {
      if (this.lease.revoked.aborted) throw sessionLost(this);
      this.#lastUsedAt = this.#clock.now();
      try {
        return await this.lease.callTool(name, args, options);
      } finally {
        this.#lastUsedAt = this.#clock.now();
      }
    };
    return await this.#line.run(call, name, options.signal);
  }

  async close(options: ReleaseOptions = {}): Promise<void> {
    await this.lease.release(options);
  }

  info(): SessionInfo {
    const { browser, headless } = this.lease.config.settings;
    return {
      sessionId: this.id,
      type: 'browser',
      capabilities: { browserName: browser, headless },
      browser_pool: this.lease.pool,
      browser_instance: this.lease.instance,
      createdAt: new Date(this.#createdAt).toISOString(),
      lastUsedAt: new Date(this.#lastUsedAt).toISOString(),
    };
  }
}

/** The answer to the first call after a session's browser was lost: nothing is lost silently. */
export function sessionLost(session: Session): PwpoolError {
  const cause = session.lease.revoked.reason as PwpoolError;
  return new PwpoolError(
    'SESSION_EXPIRED',
    `Session '${session.id}' ended: ${cause.message} Its pages and logins are gone.`,
    {
      hint: `Start a new session with start_browser (the id '${session.id}' is free again), or call without a sessionId for a new browser.`,
      details: { sessionId: session.id, cause: cause.code },
      cause,
    },
  );
}
