/** A group of host names with limits of its own [004-site-01]. */
export interface Site {
  name: string;
  /** Each stands for itself and its subdomains. */
  hosts: readonly string[];
  /** Stands for every host that has it between its dots: `mojeek` for `www.mojeek.com`. */
  label?: string | undefined;
  /** Milliseconds between the starts of two requests, at least. */
  minIntervalMs: number;
  /** How many requests may run at once; `Infinity` for any number. */
  concurrency: number;
}

/** What an address bar takes for an address with a scheme; anything else begins with a host. */
const HAS_SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:about|data|blob|javascript):)/i;

/**
 * The host that a navigation to `address` would reach; '' if it reaches none. As for `browser_navigate`, the scheme may
 * be left out.
 */
export function hostOf(address: string): string {
  const url = HAS_SCHEME.test(address) ? address : `https://${address}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}

/** Labels with dots between them, or an IPv6 address in brackets: no scheme, port, path or wildcard. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s./\\:?#@*]+(?:\.[^\s./\\:?#@*]+)*\.?)$/i;

/** A host as addresses have it: lower case, IDNA in ASCII, an IP address in its usual form. '' if it is none. */
export function normalHost(text: string): string {
  return HOST.test(text) ? hostOf(text) : '';
}

/** Whether a name can be a host by itself: one without a dot is a label of hosts, or only a name. */
export function isWholeHost(host: string): boolean {
  return host === 'localhost' || /[.[]/.test(host);
}

/** The host itself, then the domains that it is in, the narrowest first. */
export function domainsOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
