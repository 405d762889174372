import type { ToolArguments } from '../connection/tool-connection.js';
import type { CallOptions } from '../session/session.js';

/** Who calls. */
export interface Client {
  /** Its sessions belong to this name. */
  readonly id: string;
  /** Where it works, asked when a browser is leased for it. Default: the working directory. */
  readonly root?: { read(): Promise<string | undefined> } | undefined;
}

/** Which browser a call is meant for. */
export interface Target {
  sessionId?: string | undefined;
  /** Name of a pool. */
  pool?: string | undefined;
  /** Numeric id or alias. */
  instance?: string | undefined;
}

/** One call of a browser tool. */
export interface Call extends CallOptions {
  client: Client;
  tool: string;
  /** As the tool takes them: who offers tools checks their arguments (`PlaywrightToolset.check`). */
  args: ToolArguments;
  /** Default: the client's current session, or what `AFFINITY` says. */
  target?: Target | undefined;
}
