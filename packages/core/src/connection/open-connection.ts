import { SdkErrorCode, SdkHttpError, SSEClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PwpoolError } from '../errors.js';
import type { CheckedTarget } from './connection-target.js';
import { HttpTransport } from './http-transport.js';
import { fullReasonOf, httpStatusOf } from './request-failure.js';
import type { ToolServerConnection } from './tool-server-connection.js';

/**
 * For the stream of events beside those of requests. A server that pings over it, as playwright-mcp does, ends the
 * session when there is none, so it has to be there again soon.
 */
const RECONNECTION = {
  initialReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 5_000,
  maxRetries: 5,
};

/** Makes a connection of a transport and owns it from then on. */
type Adopt = (transport: Transport) => ToolServerConnection;

/**
 * Connects to the target over the transport that it names, and no other, and does the handshake.
 * @throws PwpoolError `BROWSER_NOT_READY` with the reason, or what the signal was aborted with
 */
export async function openNamedConnection(
  target: CheckedTarget,
  adopt: Adopt,
  signal: AbortSignal,
): Promise<ToolServerConnection> {
  return await handshake(target, adopt, await transportOf(target), signal);
}

/**
 * Connects to the target and does the handshake. An HTTP server that turns out to be of the older transport is taken too.
 * @throws PwpoolError `BROWSER_NOT_READY` with the reason, or what the signal was aborted with
 */
export async function openConnection(
  target: CheckedTarget,
  adopt: Adopt,
  signal: AbortSignal,
): Promise<ToolServerConnection> {
  if (target.kind !== 'http') return await openNamedConnection(target, adopt, signal);
  try {
    return await openNamedConnection(target, adopt, signal);
  } catch (error) {
    // MCP, "Backwards Compatibility": a server that refuses the first POST may be one of the older transport.
    const status = error instanceof PwpoolError ? httpStatusOf(error.cause) : undefined;
    if (status === undefined || status < 400 || status >= 500) throw error;
    try {
      return await handshake(target, adopt, sseTransport(target), signal);
    } catch (sseError) {
      signal.throwIfAborted();
      throw notReady(
        target,
        `${fullReasonOf(causeOf(error))}; as an SSE server: ${fullReasonOf(causeOf(sseError))}`,
      );
    }
  }
}

async function handshake(
  target: CheckedTarget,
  adopt: Adopt,
  transport: Transport,
  signal: AbortSignal,
): Promise<ToolServerConnection> {
  const connection = adopt(transport);
  try {
    await connection.start(signal);
    return connection;
  } catch (error) {
    signal.throwIfAborted();
    const { stderrTail } = connection;
    const reason =
      stderrTail === '' ? fullReasonOf(error) : `${fullReasonOf(error)}. It wrote: ${stderrTail}`;
    throw notReady(target, reason, error);
  }
}

function notReady(target: CheckedTarget, reason: string, cause?: unknown): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `No connection to the tool server, ${target.label}: ${reason}`,
    {
      hint:
        target.kind === 'stdio'
          ? 'Check that this command starts a tool server when it is run by itself.'
          : 'Check that a tool server is running there and lets you in.',
      cause,
    },
  );
}

function causeOf(error: unknown): unknown {
  return error instanceof PwpoolError && error.cause !== undefined ? error.cause : error;
}

async function transportOf(target: CheckedTarget): Promise<Transport> {
  switch (target.kind) {
    case 'stdio': {
      const { command, args, env, cwd } = target;
      return new StdioClientTransport({
        command,
        args,
        env,
        ...(cwd === undefined ? {} : { cwd }),
        stderr: 'pipe',
      });
    }
    case 'http':
      return new HttpTransport(target.url, {
        requestInit: { headers: target.headers },
        redirectPolicy: 'follow',
        reconnectionOptions: RECONNECTION,
      });
    case 'sse':
      return sseTransport(target);
    case 'transport':
      try {
        return await target.transport();
      } catch (error) {
        throw notReady(target, fullReasonOf(error), error);
      }
  }
}

function sseTransport({ url, headers }: CheckedTarget & { kind: 'http' | 'sse' }): Transport {
  return new SSEClientTransport(url, {
    requestInit: { headers },
    redirectPolicy: 'follow',
    fetch: fetchOrRefuse,
  });
}

/** The SSE transport of the SDK tells a refused POST only in words; this gives it the status of the newer one. */
async function fetchOrRefuse(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (init?.method !== 'POST' || response.ok) return response;
  const { status, statusText } = response;
  const message = `Error POSTing to endpoint: ${await response.text()}`;
  throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, message, { status, statusText });
}
