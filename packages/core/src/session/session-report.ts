import type { ToolResult } from '../connection/tool-connection.js';
import type { BroughtBack } from './state/state-keeper.js';

/** Why a session is without a browser for the moment; `revoked`: it was taken back, by `LEASE_MAX` or an operation. */
export type Interruption = 'crashed' | 'parked' | 'revoked';

/** A session as `list_sessions` tells of it [003-list-01]; what follows `capabilities` is pwpool's own. */
export interface SessionInfo {
  sessionId: string;
  type: 'browser';
  capabilities: { browserName: string; headless: boolean };
  browser_pool: string;
  /** `null` while the session has no browser: parked, or between a loss and the next call. */
  browser_instance: string | null;
  status: 'active' | Interruption;
  /** ISO 8601. */
  createdAt: string;
  lastUsedAt: string;
  /** When the session ends unless it is used before. */
  expiresAt: string;
}

/** How a session came back into a browser. */
export interface Restored extends BroughtBack {
  /** Why it was without one. */
  after: Interruption;
}

/** What an answer tells beside the tool's own result. */
export interface SessionAnswer<Result = ToolResult> {
  result: Result;
  /** Present when this call found the session without its browser and brought it back. */
  restored?: Restored;
  /** What happened to the session since the last answer, in sentences. */
  notices: readonly string[];
}
