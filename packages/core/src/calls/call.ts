import type { ToolArguments } from '../connection/tool-connection.js';
import type { Principal } from '../principals/principal.js';
import type { CallOptions } from '../session/session.js';
import type { Command, RunCommandsOptions } from './run-commands.js';

/** Who calls. */
export interface Client {
  /** Its sessions belong to this name. */
  readonly id: string;
  /** On whose behalf it calls: what it may use, and how much. Default: whoever runs the server, without limits. */
  readonly principal?: Principal | undefined;
  /** Where it works, asked when a browser is leased for it. Default: the working directory. */
  readonly root?: { read(): Promise<string | undefined> } | undefined;
  /** Whether it can open the files of this machine. Default: it cannot. */
  readonly sharesDisk?: boolean | undefined;
  /**
   * Whether its calls come over a connection, by which one that names no session is known to mean the client's own. Without,
   * such a call has a browser for itself alone [arch-target-08]. Default: they do.
   */
  readonly connected?: boolean | undefined;
  /**
   * Of a caller that nobody knows: what the name of the session that it starts ends with, which nobody guesses. Who calls
   * the session by that name is its owner.
   */
  readonly secret?: string | undefined;
  /** Whose the artifacts of its calls are. Default: its own. */
  readonly artifactOwner?: string | undefined;
}

/** Which browser a call is meant for. */
export interface Target {
  sessionId?: string | undefined;
  /** Name of a pool. */
  pool?: string | undefined;
  /** Numeric id or alias. */
  instance?: string | undefined;
}

/** A call, whatever is done in the browser that it reaches. */
export interface TargetedCall extends CallOptions {
  client: Client;
  /** Default: the client's current session, or what `AFFINITY` says. */
  target?: Target | undefined;
}

/** One call of a browser tool. */
export interface Call extends TargetedCall {
  tool: string;
  /** As the tool takes them: who offers tools checks their arguments (`Toolset.check`). */
  args: ToolArguments;
}

/** Several calls of browser tools, one after the other in the one browser that the target says. */
export interface BulkCall extends TargetedCall, Omit<RunCommandsOptions, 'signal'> {
  commands: readonly Command[];
  /** What it is, in messages. */
  what: string;
}
