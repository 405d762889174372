import type { Clock } from '../clock.js';
import { type ControlSource, openControlEndpoint } from './control-endpoint.js';
import type { ControlOperations } from './control-operation.js';
import { makeRuntimeDirectory } from './runtime-directory.js';
import { newServerId, RuntimeRegistry } from './runtime-registry.js';
import { socketPathOf } from './socket-path.js';

export interface ServeControlOptions {
  source: ControlSource;
  /** What this server can be asked to do. Default: nothing. */
  operations?: ControlOperations | undefined;
  /** Version of pwpool, as the entry and `GET /version` tell it. */
  version: string;
  /** Address of the MCP endpoint over HTTP; null (the default) for a server on stdio. */
  httpAddress?: string | null | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  clock: Clock;
}

/**
 * Makes this process findable by `pwpool status` [arch-run-06]: opens its control endpoint in the
 * runtime directory and registers it. Disposing of the result undoes both.
 *
 * A server can work without: its caller decides what a failure means.
 * @throws PwpoolError `CONFIG_INVALID` if the runtime directory cannot be made, trusted or written to
 */
export async function serveControl(options: ServeControlOptions): Promise<AsyncDisposable> {
  const { source, operations, version, httpAddress = null, env, clock } = options;
  const directory = await makeRuntimeDirectory(env);
  const id = newServerId();
  const socketPath = socketPathOf(directory, id);
  const startedAt = new Date(clock.now()).toISOString();
  // Listening comes before registering and ends after it: who finds the entry also reaches the socket.
  const endpoint = await openControlEndpoint({ socketPath, source, operations, version });
  try {
    const registration = await new RuntimeRegistry(directory).register({
      id,
      version,
      socketPath,
      httpAddress,
      startedAt,
    });
    return {
      async [Symbol.asyncDispose]() {
        await registration[Symbol.asyncDispose]();
        await endpoint[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await endpoint[Symbol.asyncDispose]();
    throw error;
  }
}
