/** What answers at an `ENDPOINT`, and with that how pwpool speaks to it [arch-driver-06, arch-driver-08]. */
export type EndpointKind = 'playwright-server' | 'cdp' | 'mcp-http' | 'mcp-sse';

export interface Endpoint {
  kind: EndpointKind;
  /** The address to connect to, without what pwpool puts before the scheme. */
  url: string;
  /** The address without user, password and query, which may be secret: for messages. */
  label: string;
}

/** What a prefix of the scheme says where the address alone does not. */
const KINDS = { 'mcp+': 'mcp-http', 'sse+': 'mcp-sse', 'cdp+': 'cdp' } as const;

/** The endpoint that a text names; `undefined` when it names none. What a URL parser would repair is refused. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, prefix = '', address = ''] =
    /^(mcp\+|sse\+|cdp\+)?((?:https?|wss?):\/\/[^\s/\\]\S*)$/i.exec(text) ?? [];
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  const url = protocol + address.slice(protocol.length);
  const label = `${prefix.toLowerCase()}${protocol}//${host}${pathname}`;
  const web = protocol.startsWith('http');
  if (prefix !== '') {
    const kind = KINDS[prefix.toLowerCase() as keyof typeof KINDS];
    return web !== (kind === 'cdp') ? { kind, url, label } : undefined;
  }
  return { kind: web || pathname.includes('/devtools/') ? 'cdp' : 'playwright-server', url, label };
}

/** The headers that a JSON object names; `undefined` when the text is no such object, or HTTP does not allow one. */
export function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const fields = Object.entries(value).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    );
    if (fields.length < Object.keys(value).length) return undefined;
    new Headers(fields);
    return Object.fromEntries(fields);
  } catch {
    return undefined;
  }
}
