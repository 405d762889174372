import type { InstanceSettings } from '../../config/model.js';
import type { CheckedTarget } from '../../connection/connection-target.js';
import { fullReasonOf, httpStatusOf } from '../../connection/request-failure.js';
import { PwpoolError } from '../../errors.js';
import { withoutSecrets } from '../endpoint-secrets.js';

type WebTarget = CheckedTarget & { kind: 'http' | 'sse' };

/**
 * The error for a server that cannot be attached, with what to change. What the server said is left out where a status
 * says it: it may be a whole page.
 */
export function attachFailed(target: WebTarget, settings: InstanceSettings, error: unknown): PwpoolError {
  const cause = error instanceof PwpoolError && error.cause !== undefined ? error.cause : error;
  const status = statusOf(cause);
  const reason = status === undefined ? withoutSecrets(fullReasonOf(cause), settings) : `HTTP ${status}`;
  return new PwpoolError('BROWSER_NOT_READY', `No tools from ${target.label}: ${reason}.`, {
    hint: hintOf(target.kind, status),
    details: { endpoint: target.label, ...(status === undefined ? {} : { status }) },
  });
}

function statusOf(error: unknown): number | undefined {
  // The event source tells it in a field of its own, also of a 200 that brings no events.
  const code = Reflect.get(Object(error), 'code');
  return httpStatusOf(error) ?? (typeof code === 'number' && code >= 300 ? code : undefined);
}

function hintOf(kind: WebTarget['kind'], status: number | undefined): string {
  if (status === 401 || status === 403) {
    return 'The server lets pwpool in only with the right ENDPOINT_HEADERS, such as {"Authorization": "Bearer …"}.';
  }
  const [other, path] = kind === 'http' ? ['sse+http://', '/sse'] : ['mcp+http://', '/mcp'];
  if (status !== undefined && status < 500) {
    return `Check the path of ENDPOINT. A server of the other MCP transport is named by ${other}, often with the path ${path}.`;
  }
  return 'Check that an MCP server runs at ENDPOINT and speaks the transport that its scheme names.';
}
