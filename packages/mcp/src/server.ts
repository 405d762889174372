import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { Principal, Unsubscribe } from '@pwpool/core/internal';
import type { Backend } from './backend.js';
import { ClientRoot } from './client-root.js';
import type { ClientTools } from './client-tools.js';
import { identityFor } from './identity.js';
import { instructionsFor } from './instructions.js';
import { tellOfBrowsers } from './log/log-events.js';
import { offeredTools } from './offered-tools.js';
import { servePrompts } from './prompts.js';
import { serveResources } from './resources.js';
import type { ConnectedClient } from './server-parts.js';
import type { SendProgress } from './wait-progress.js';

/**
 * The MCP server of one client connection. Its sessions end with `SessionManager.closeClient(client.id)`.
 * @param era the revisions of MCP that the client speaks: `legacy` those of 2025, `modern` from 2026-07-28 on
 */
export function createMcpServer(
  client: ConnectedClient,
  backend: Backend,
  era: McpRequestContext['era'] = 'legacy',
): Server {
  const server = createServer(client, backend, era);
  tellChanges(server, backend, era, client.principal);
  // Its roots are directories on its own machine.
  const hasRoots = era === 'legacy' && client.sharesDisk === true && !backend.config.server.ignoreRoots;
  const asked = hasRoots ? new ClientRoot(server, backend.clock) : undefined;
  const root = { read: async () => (await asked?.read()) ?? client.directory };
  let tools: Promise<ClientTools> | undefined;
  serveClient(server, client, backend, async () => {
    tools ??= backend.ensureStarted().then((served) => served.toolsFor({ ...client, root }));
    return await tools;
  });
  return server;
}

/** The MCP server of one request, from a client without a connection. It tells of no changes: who made it does. */
export function createRequestServer(client: ConnectedClient, backend: Backend, tools: ClientTools): Server {
  const server = createServer(client, backend, 'modern');
  serveClient(server, client, backend, async () => tools);
  return server;
}

function createServer(client: ConnectedClient, { config }: Backend, era: McpRequestContext['era']): Server {
  const instructions = instructionsFor(config, client);
  return new Server(identityFor(era), { capabilities: { tools: { listChanged: true } }, instructions });
}

/** Answers the requests of one client. */
function serveClient(
  server: Server,
  { principal }: ConnectedClient,
  backend: Backend,
  tools: () => Promise<ClientTools>,
): void {
  servePrompts(server);
  serveResources(server, async () => (await tools()).resources);
  server.setRequestHandler('tools/list', () => ({ tools: [...offeredTools(backend.offer(principal))] }));
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
    return await (await tools()).call(name, args, { signal, sendProgress });
  });
}

/** Notifies the client of other tools, since they name the pools, and, if it is of the old revisions, of what becomes of browsers. */
function tellChanges(
  server: Server,
  { started }: Backend,
  era: McpRequestContext['era'],
  principal: Principal | undefined,
): void {
  if (era === 'legacy') server.registerCapabilities({ logging: {} });
  const ends: Unsubscribe[] = [];
  let hasLeft = false;
  void started.then(({ pools }) => {
    if (hasLeft) return;
    // A client that cannot be told any more needs no notice.
    ends.push(pools.on('pools-changed', () => void server.sendToolListChanged().catch(() => {})));
    if (era === 'modern') return;
    ends.push(
      tellOfBrowsers(
        pools,
        (data, level) => void server.sendLoggingMessage({ level, logger: 'pwpool', data }).catch(() => {}),
        principal,
      ),
    );
  });
  server.onclose = () => {
    hasLeft = true;
    for (const end of ends) end();
  };
}
