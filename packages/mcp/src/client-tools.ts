import type { Tool, ToolArguments, ToolResult } from '@pwpool/core';
import { Calls, type Client, shownName } from '@pwpool/core/internal';
import { Activity } from './activity.js';
import { artifactResources } from './artifact-resources.js';
import { Dispatcher, type RequestOptions } from './dispatcher.js';
import type { ResourceSource } from './resources.js';
import type { McpServerParts } from './server-parts.js';

/** The tools as one client has them: each of its calls is one that a shutdown waits for, is remembered and is logged. */
export class ClientTools {
  /** What it may read beside the answers. */
  readonly resources: readonly ResourceSource[];
  readonly #activity: Activity;
  readonly #dispatcher: Dispatcher;
  readonly #inFlight: McpServerParts['inFlight'];

  constructor(client: Client, parts: McpServerParts) {
    this.#dispatcher = new Dispatcher({ ...parts, client, calls: new Calls(parts) });
    this.#inFlight = parts.inFlight;
    this.#activity = new Activity(
      parts.pools.clock,
      ({ tool, sessionId: session, elapsedMs: ms, error: code }) =>
        parts.log?.call({
          client: client.id,
          principal: client.principal?.name,
          session:
            session === null || client.secret === undefined
              ? session
              : shownName(session, client.secret.length),
          tool,
          ms,
          code,
        }),
    );
    this.resources = [
      ...(parts.artifacts ? [artifactResources(parts.artifacts, client)] : []),
      // Nobody knows again who bears a secret, so there are no earlier calls of theirs.
      ...(client.secret === undefined ? [this.#activity] : []),
    ];
  }

  list(): readonly Tool[] {
    return this.#dispatcher.list();
  }

  /** Runs a tool. Never rejects: every failure is a result. */
  async call(name: string, args: ToolArguments, options: RequestOptions): Promise<ToolResult> {
    const run = () => this.#dispatcher.call(name, args, options);
    return await this.#inFlight.track(() => this.#activity.track(name, args, run));
  }
}
