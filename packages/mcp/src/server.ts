import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { BrowserPools } from '@pwpool/core';
import type { Principal } from '@pwpool/core/internal';
import { artifactResources } from './artifact-resources.js';
import { ClientRoot } from './client-root.js';
import { ClientTools } from './client-tools.js';
import { identityFor } from './identity.js';
import { instructionsFor } from './instructions.js';
import { tellOfBrowsers } from './log/log-events.js';
import { servePrompts } from './prompts.js';
import { serveResources } from './resources.js';
import type { ConnectedClient, McpServerParts } from './server-parts.js';
import type { SendProgress } from './wait-progress.js';

/**
 * The MCP server of one client connection. Its sessions end with `SessionManager.closeClient(client.id)`.
 * @param era the revisions of MCP that the client speaks: `legacy` those of 2025, `modern` from 2026-07-28 on
 */
export function createMcpServer(
  client: ConnectedClient,
  parts: McpServerParts,
  era: McpRequestContext['era'] = 'legacy',
): Server {
  const server = createServer(client, parts, era);
  tellChanges(server, parts.pools, era, client.principal);
  // Its roots are directories on its own machine.
  const hasRoots = era === 'legacy' && client.sharesDisk === true && !parts.pools.config.server.ignoreRoots;
  const asked = hasRoots ? new ClientRoot(server, parts.pools.clock) : undefined;
  const root = { read: async () => (await asked?.read()) ?? client.directory };
  serveClient(server, client, new ClientTools({ ...client, root }, parts), parts);
  return server;
}

/** The MCP server of one request, from a client without a connection. It tells of no changes: who made it does. */
export function createRequestServer(
  client: ConnectedClient,
  tools: ClientTools,
  parts: McpServerParts,
): Server {
  const server = createServer(client, parts, 'modern');
  serveClient(server, client, tools, parts);
  return server;
}

function createServer(
  client: ConnectedClient,
  { pools }: McpServerParts,
  era: McpRequestContext['era'],
): Server {
  const instructions = instructionsFor(pools.config, client);
  return new Server(identityFor(era), { capabilities: { tools: { listChanged: true } }, instructions });
}

/** Answers the requests of one client. */
function serveClient(
  server: Server,
  client: ConnectedClient,
  tools: ClientTools,
  { artifacts }: McpServerParts,
): void {
  servePrompts(server);
  serveResources(server, [
    ...(artifacts ? [artifactResources(artifacts, client)] : []),
    // Nobody knows again who bears a secret, so there are no earlier calls of theirs.
    ...(client.secret === undefined ? [tools.activity] : []),
  ]);
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.list()] }));
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
    const { name, arguments: args = {} } = params;
    return await tools.call(name, args, { signal, sendProgress });
  });
}

/** Notifies the client of other tools, since they name the pools, and, if it is of the old revisions, of what becomes of browsers. */
function tellChanges(
  server: Server,
  pools: BrowserPools,
  era: McpRequestContext['era'],
  principal: Principal | undefined,
): void {
  // A client that cannot be told any more needs no notice.
  const ends = [pools.on('pools-changed', () => void server.sendToolListChanged().catch(() => {}))];
  if (era === 'legacy') {
    server.registerCapabilities({ logging: {} });
    ends.push(
      tellOfBrowsers(
        pools,
        (data, level) => void server.sendLoggingMessage({ level, logger: 'pwpool', data }).catch(() => {}),
        principal,
      ),
    );
  }
  server.onclose = () => {
    for (const end of ends) end();
  };
}
