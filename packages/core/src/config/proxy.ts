/** A proxy as Playwright takes it. */
export interface Proxy {
  server: string;
  username?: string;
  password?: string;
}

/** The proxy that an address names, with http:// unless it has a scheme; `undefined` when it names none. */
export function parseProxy(text: string): Proxy | undefined {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(text) || !URL.canParse(address)) return undefined;
  const { protocol, host, username, password } = new URL(address);
  if (!['http:', 'https:', 'socks4:', 'socks5:'].includes(protocol) || host === '') return undefined;
  return {
    server: `${protocol}//${host}`,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}
