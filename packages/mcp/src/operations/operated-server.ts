import type {
  BrowserPools,
  OperationStep,
  SessionManager,
  SiteLimits,
  ToolResult,
  Toolset,
} from '@pwpool/core';
import type { Artifacts, ChangedKey, KeyName } from '@pwpool/core/internal';
import type { ClientTools } from '../client-tools.js';
import type { ServerLog } from '../log/server-log.js';
import type { ConnectedClient } from '../server-parts.js';

/** What came of taking a configuration in. */
export interface Reloaded {
  poolsAdded: readonly string[];
  poolsRemoved: readonly string[];
  /** Keys that differ from the configuration before, and what each costs. */
  changed: readonly ChangedKey[];
  /** Keys that differ from those the server was started with, and hold when it is started again. */
  needsRestart: readonly KeyName[];
}

/** A running server, as the person who runs it has it. */
export interface OperatedServer {
  readonly pools: BrowserPools;
  readonly sessions: SessionManager;
  readonly artifacts: Artifacts;
  readonly toolset: Toolset;
  /** The limits that navigations keep; none if absent. */
  readonly sites: SiteLimits | undefined;
  readonly log: ServerLog;
  /**
   * Reads the configuration again and applies what differs.
   * @throws PwpoolError `CONFIG_INVALID` with every violation: then nothing changes
   */
  reload(options?: {
    onStep?: ((step: OperationStep) => void) | undefined;
  }): Promise<Reloaded & { done: Promise<void> }>;
  /** Makes a call that a shutdown waits for. */
  track(call: () => Promise<ToolResult>): Promise<ToolResult>;
  /** Ends the server, as SIGTERM does. */
  stop(): void;
  /** The tools as a client of that name has them. */
  toolsFor(client: ConnectedClient): Pick<ClientTools, 'list' | 'call'>;
}
