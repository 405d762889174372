import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';

/** Whether a request is of the revisions of 2025. Its body, if it has one, was read and parsed. */
export async function isOld(request: IncomingMessage, body: unknown): Promise<boolean> {
  return await isLegacyRequest(await toWebRequest(plain(request), body), body);
}

/** Answers a request of Node by a handler of web requests. A client that leaves aborts the web request's signal. */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  fetch: McpHttpHandler['fetch'],
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const handler: Pick<McpHttpHandler, 'fetch'> = {
    fetch: async (web, options) => whileRead(await fetch(web, options), left.signal),
  };
  await toNodeHandler(handler)(plain(request), eager(response), body);
}

/** The SDK's adapter waits for something to write before it sees that nobody is there, and keeps the request until then. */
function whileRead(response: Response, signal: AbortSignal): Response {
  const { body } = response;
  return body ? new Response(body.pipeThrough(new TransformStream(), { signal }), response) : response;
}

function plain(request: IncomingMessage): NodeIncomingMessageLike {
  const { method = 'GET', url = '/', headers } = request;
  return { method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() };
}

/** A client learns that its stream is open before there is anything on it. */
function eager(response: ServerResponse): Parameters<ReturnType<typeof toNodeHandler>>[1] {
  return {
    writeHead: (status, headers) => {
      response.writeHead(status, headers);
      if (headers?.['content-type'] === 'text/event-stream') response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
