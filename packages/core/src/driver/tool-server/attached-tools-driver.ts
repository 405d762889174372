import type { Clock } from '../../clock.js';
import { parseEndpoint, parseHeaders } from '../../config/endpoint.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { startDeadline, startInTime } from '../start-deadline.js';
import { AttachedToolServer, type AttachedToolServerOptions } from './attached-tool-server.js';
import { ToolServerBrowser } from './tool-server-browser.js';

/**
 * Serves the tools of a remote MCP server (`ENDPOINT=mcp+http://…` or `sse+http://…`). Each instance has an MCP session
 * of its own, and ends nothing else. Whether sessions share pages is up to that server: playwright-mcp keeps them apart
 * with `--isolated`.
 *
 * A clean start for the next holder is that server's `browser_close`. One without that tool is taken with `RESET=never`
 * only; what a server keeps in a profile stays. The death of a browser over there is seen when a call or its server
 * tells.
 */
export class AttachedToolsDriver implements BrowserDriver {
  readonly #clock: Clock;

  constructor(options: { clock: Clock }) {
    this.#clock = options.clock;
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const target = targetOf(config);
    const timeoutMs = startDeadline(config);
    const onTimeout = () =>
      new PwpoolError(
        'BROWSER_NOT_READY',
        `No tools from ${target.label}: it took the connection, if any, and gave no MCP answer within ${timeoutMs} ms.`,
        {
          hint: 'Check that an MCP server runs at ENDPOINT and speaks the transport that its scheme names. START_TIMEOUT sets the limit.',
          details: { endpoint: target.label },
        },
      );
    const options = { clock: this.#clock, timeoutMs, signals: [signal], onTimeout };
    return await startInTime(options, async (stop) => {
      const server = await AttachedToolServer.connect({ config, clock: this.#clock, target }, stop);
      const browser = new ToolServerBrowser(server, config, this.#clock);
      if (config.settings.reset === 'never' || server.tools.has('browser_close')) return browser;
      await browser[Symbol.asyncDispose]();
      throw new PwpoolError(
        'BROWSER_NOT_READY',
        `The server ${target.label} has no tool browser_close: it cannot give its next user a clean start.`,
        {
          hint: 'Set RESET=never if each user may see what the last one left, or attach a server of Playwright tools.',
          details: { endpoint: target.label },
        },
      );
    });
  }
}

/** @throws PwpoolError `CONFIG_INVALID`; the rules of the configuration find the same before */
function targetOf({ settings }: InstanceConfig): AttachedToolServerOptions['target'] {
  const endpoint = parseEndpoint(settings.endpoint ?? '');
  const headers = parseHeaders(settings.endpointHeaders ?? '{}');
  if ((endpoint?.kind !== 'mcp-http' && endpoint?.kind !== 'mcp-sse') || !headers) {
    throw new PwpoolError('CONFIG_INVALID', 'ENDPOINT or ENDPOINT_HEADERS names no MCP server.', {
      hint: 'Set ENDPOINT to mcp+http://… or sse+http://…, and ENDPOINT_HEADERS to a JSON object.',
    });
  }
  const url = new URL(endpoint.url);
  const kind = endpoint.kind === 'mcp-http' ? 'http' : 'sse';
  return { kind, label: endpoint.label, url, headers: withAuthorization(url, headers) };
}

/** Moves user and password of an address into a header (RFC 7617), for fetch takes no address with them. */
function withAuthorization(url: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  const fields = new Headers(headers);
  if (url.username + url.password !== '' && !fields.has('authorization')) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    fields.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  url.username = '';
  url.password = '';
  return Object.fromEntries(fields);
}
