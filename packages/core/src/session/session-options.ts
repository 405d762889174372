import type { Principal } from '../principals/principal.js';
import type { CallOptions, Session } from './session.js';
import type { RestoredState } from './state/restore-state.js';

/** What a session is to be, and how long its start may be waited for [003-start-01, 003-start-03]. */
export interface StartSessionOptions extends CallOptions {
  /** The client that the session will belong to. */
  client: string;
  /** On whose behalf: what it may use, and how much. Default: whoever runs the server, without limits. */
  principal?: Principal | undefined;
  /** Default: `browser-1`, `browser-2`, … */
  sessionId?: string | undefined;
  /** What others are told that holds its browser. Default: its name. */
  label?: string | undefined;
  /** What file names are resolved against, and where uploads come from. Default: the working directory. */
  root?: string | undefined;
  pool?: string | undefined;
  instance?: string | undefined;
  /** With or without a window; an instance that is configured otherwise is relaunched for the session. */
  headless?: boolean | undefined;
  /** Name of a state that `close` saved. */
  restore?: string | undefined;
  /** Another session of the client, whose cookies, storage and URL are copied. */
  from?: string | undefined;
}

/** As of `StartSessionOptions`. */
export interface OwnSessionOptions extends CallOptions, Pick<StartSessionOptions, 'principal'> {
  /** Asked only for a new session. */
  root?: (() => Promise<string | undefined>) | undefined;
}

/** A session that has its browser, and what its client is to be told. */
export interface StartedSession {
  session: Session;
  /** What came of `restore` or `from`. */
  restored?: RestoredState;
  /** What its client is to know of it, in sentences. */
  notices: readonly string[];
  /** Present from `SESSION_WARN_AT` sessions of the client on. */
  warning?: string;
}

/** How a session ends [003-close-01]. */
export interface CloseSessionOptions {
  /** Leave the browser as it is and free the lease without a reset. */
  detach?: boolean | undefined;
  /** Save cookies and storage under this name first. A session whose state cannot be saved stays open. */
  save?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** What closing a session came to. */
export interface ClosedSession {
  /** What the saved state lacks, in sentences; empty when it has everything, and when nothing was saved. */
  incomplete: readonly string[];
}
