import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { BrowserPools, PlaywrightToolset, SessionManager, SiteLimits } from '@pwpool/core';
import { Calls } from '@pwpool/core/internal';
import { ClientRoot } from './client-root.js';
import { Dispatcher } from './dispatcher.js';
import type { InFlight } from './in-flight.js';
import { instructionsFor } from './instructions.js';
import { VERSION } from './version.js';
import type { SendProgress } from './wait-progress.js';

/** What all clients of one server share. */
export interface McpServerParts {
  pools: BrowserPools;
  sessions: SessionManager;
  toolset: PlaywrightToolset;
  /** The limits that navigations keep; none if left out. */
  sites?: SiteLimits | undefined;
  inFlight: InFlight;
}

/**
 * The MCP server of one client connection. Its sessions end with `SessionManager.closeClient(client)`.
 * @param era the revisions of MCP that the client speaks: `legacy` those of 2025, `modern` from 2026-07-28 on
 */
export function createMcpServer(
  client: string,
  parts: McpServerParts,
  era: McpRequestContext['era'] = 'legacy',
): Server {
  const server = new Server(
    { name: 'pwpool', version: VERSION },
    { capabilities: { tools: {} }, instructions: instructionsFor(parts.pools.config) },
  );
  const { server: settings } = parts.pools.config;
  const hasRoot = era === 'legacy' && !settings.ignoreRoots;
  const root = hasRoot ? new ClientRoot(server, parts.pools.clock) : undefined;
  const dispatcher = new Dispatcher({ ...parts, client: { id: client, root }, calls: new Calls(parts) });
  server.setRequestHandler('tools/list', () => ({ tools: dispatcher.list() }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal, notify } }) => {
    const token = params._meta?.progressToken;
    const sendProgress: SendProgress | undefined =
      token === undefined
        ? undefined
        : (progress) => {
            // A client that cannot be told any more is not waiting either.
            notify({
              method: 'notifications/progress',
              params: { progressToken: token, ...progress },
            }).catch(() => {});
          };
    const run = () => dispatcher.call(params.name, params.arguments ?? {}, { signal, sendProgress });
    return await parts.inFlight.track(run);
  });
  return server;
}
