import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ClientGateway, type GatewayParts } from './client-gateway.js';
import { Dispatcher } from './dispatcher.js';
import type { InFlight } from './in-flight.js';
import { VERSION } from './version.js';
import type { SendProgress } from './wait-progress.js';

/** What the model is told of the server as a whole. */
const INSTRUCTIONS =
  'Browsers from a pool. You have one of your own without asking. For a second user, or for each sub-agent, call ' +
  'start_browser, and from then on pass a sessionId with every browser tool; sessions never see each other. ' +
  'Close sessions you are done with.';

export interface McpServerParts extends GatewayParts {
  inFlight: InFlight;
}

/** The MCP server of one client connection. Its sessions end with `SessionManager.closeClient(client)`. */
export function createMcpServer(client: string, parts: McpServerParts): Server {
  const server = new Server(
    { name: 'pwpool', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const dispatcher = new Dispatcher(new ClientGateway(client, parts), parts.toolset);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: dispatcher.list() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const token = params._meta?.progressToken;
    const sendProgress: SendProgress | undefined =
      token === undefined
        ? undefined
        : (progress) => {
            // A client that cannot be told any more is not waiting either.
            sendNotification({
              method: 'notifications/progress',
              params: { progressToken: token, ...progress },
            }).catch(() => {});
          };
    const run = () => dispatcher.call(params.name, params.arguments ?? {}, { signal, sendProgress });
    return await parts.inFlight.track(run);
  });
  return server;
}
