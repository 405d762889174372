import type { BrowserPools, SessionManager, SiteLimits, Toolset } from '@pwpool/core';
import type { Artifacts, CallRates, Client, SnapshotCache } from '@pwpool/core/internal';
import type { InFlight } from './in-flight.js';
import type { ServerLog } from './log/server-log.js';

/** What all clients of one server share. */
export interface McpServerParts {
  pools: BrowserPools;
  sessions: SessionManager;
  toolset: Toolset;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
  /** What clients page through. Default: one for each of them. */
  snapshots?: SnapshotCache | undefined;
  /** Where what is too large for answers goes; answers are as they are if left out. */
  artifacts?: Artifacts | undefined;
  /** Keeps principals to their calls a minute. Default: one for each connection. */
  rates?: CallRates | undefined;
  inFlight: InFlight;
  /** Where each call is written down; nowhere if left out. */
  log?: ServerLog | undefined;
}

/** Who is at the other end; where it works is asked over the connection. */
export interface ConnectedClient extends Omit<Client, 'root'> {
  /** Where it works unless it says otherwise. Default: the working directory of the server. */
  directory?: string | undefined;
}
