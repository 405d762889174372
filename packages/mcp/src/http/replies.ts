import type { ServerResponse } from 'node:http';

/** JSON-RPC codes for what is refused before a server of MCP sees it; the last is the one that implementations may choose. */
export const PARSE_ERROR = -32_700;
export const REFUSED = -32_000;
/** What the SDK's clients know as the end of their `Mcp-Session-Id`. */
export const SESSION_NOT_FOUND = -32_001;

/** Answers with an error of JSON-RPC, which clients of MCP show, and people can read. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  { code = REFUSED, headers = {} }: { code?: number; headers?: Readonly<Record<string, string>> } = {},
): void {
  replyJson(response, status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}

export function replyJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      ...headers,
    })
    .end(text);
}
