import type { BrowserPools, Clock, PwpoolConfig } from '@pwpool/core';
import type { Client, Principal } from '@pwpool/core/internal';
import type { ClientTools } from './client-tools.js';
import type { Offer } from './tools/pool-tool.js';

/** What carries clients' calls out. */
export interface Served {
  readonly pools: BrowserPools;
  toolsFor(client: Client): ClientTools;
}

/** What is behind the connections of clients. It may still have to start: who asks which tools there are need not wait for that. */
export interface Backend {
  /** As it holds now. */
  readonly config: PwpoolConfig;
  readonly clock: Clock;
  offer(principal: Principal | undefined): Offer;
  /** Resolves when it has started, whoever had it start. */
  readonly started: Promise<Served>;
  /** Has it start unless it has; rejects with what keeps it from that. */
  ensureStarted(): Promise<Served>;
}
