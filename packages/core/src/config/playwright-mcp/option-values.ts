// What the values of playwright-mcp's options are as values of keys. What does not fit a key is refused where it is read.
import { INSTANCE_KEYS } from '../instance-keys.js';
import { isObject } from '../values.js';
import type { Keys } from './option.js';

/** What a call takes beside the step that is waited for. */
const CALL_MARGIN_MS = 5_000;

/** Upstream's names for what pwpool calls otherwise. */
export function browserOf(name: unknown): Keys {
  const renamed: Readonly<Record<string, string>> = {
    'chrome-for-testing': 'chromium',
    'moz-firefox': 'firefox',
  };
  return { BROWSER: typeof name === 'string' ? (renamed[name] ?? name) : name };
}

/** A `ws://` address of CDP may have any path, which alone would name a Playwright server. */
export function cdpEndpoint(address: unknown): Keys {
  const marked =
    typeof address === 'string' && /^wss?:/i.test(address) && !address.includes('/devtools/')
      ? `cdp+${address}`
      : address;
  return { ENDPOINT: marked };
}

export function endpointHeaders(headers: unknown): Keys {
  return { ENDPOINT_HEADERS: isObject(headers) ? JSON.stringify(headers) : headers };
}

/** Node's longest time stands for no limit. */
export function startTimeout(milliseconds: unknown): Keys {
  return { START_TIMEOUT: milliseconds === 0 ? 2 ** 31 - 1 : milliseconds };
}

/** A whole call is given up after TIMEOUT, which upstream does not have: it is to leave room for one step of it. */
export function timeoutAbove(milliseconds: unknown): Keys {
  const wanted = Number(milliseconds) + CALL_MARGIN_MS;
  return wanted > INSTANCE_KEYS.TIMEOUT.default ? { TIMEOUT: wanted } : {};
}

/** `tracing` is an older name; `core-install` has no tools any more. */
export function capabilities(names: unknown): Keys {
  if (!Array.isArray(names)) return { CAPS: names };
  const groups = names.map((name: unknown) => (name === 'tracing' ? 'devtools' : name));
  return { CAPS: [...new Set(groups)].filter((name) => name !== 'core-install') };
}

export function proxyOf(proxy: unknown): Keys {
  if (!isObject(proxy)) return { PROXY_SERVER: proxy };
  const { server, bypass, username, password } = proxy;
  return {
    PROXY_SERVER: withCredentials(server, username, password),
    ...(bypass === undefined ? {} : { PROXY_BYPASS: bypass }),
  };
}

function withCredentials(server: unknown, username: unknown, password: unknown): unknown {
  if (typeof server !== 'string' || typeof username !== 'string') return server;
  const [scheme, host = scheme] = server.split('://');
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return `${host === scheme ? 'http' : scheme}://${encodeURIComponent(username)}${secret}@${host}`;
}
