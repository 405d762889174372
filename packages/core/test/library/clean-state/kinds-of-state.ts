import type { BrowserContext, CDPSession, Page } from 'playwright';
import type { StateSite } from './state-site.js';

/** A holder of a browser, or whoever looks at it: its context, the first page, and a session of the protocol with that. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly site: StateSite;
}

/** Something that a holder can leave behind in a browser. */
export interface KindOfState {
  readonly name: string;
  /** Leaves it. The page is on the site. */
  readonly leave: (visit: Visit) => Promise<unknown>;
  /** What shows it: another value than in a new context. */
  readonly see: (visit: Visit) => Promise<unknown>;
  /** Whether it shows before anything is loaded, or on the site. Default: `site`. */
  readonly shows?: 'on arrival';
}

const inPage =
  (expression: string) =>
  ({ page }: Visit) =>
    page.evaluate(expression);

const fetched = (path: string) => inPage(`fetch('${path}').then((response) => response.text())`);

const protocol =
  (method: Parameters<CDPSession['send']>[0], parameters: object) =>
  ({ cdp }: Visit) =>
    cdp.send(method, parameters as never);

const isCached = (path: string) =>
  `fetch('${path}', { cache: 'only-if-cached', mode: 'same-origin', redirect: 'manual' }).then(() => true, () => false)`;

/** Whether one of all the connections to the site that are open is older than what was to be remembered. */
const sockets = `Promise.all(Array.from({ length: 6 }, () => fetch('/socket').then((response) => response.text())))
  .then((all) => all.includes('old'))`;

const opened = (name: string) => `new Promise((resolve, reject) => {
  const request = indexedDB.open('${name}', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('things');
  request.onsuccess = () => { request.result.close(); resolve(true); };
  request.onerror = () => reject(request.error);
})`;

/** What a holder does on a page beside the first that it leaves open. */
const onPageLeftOpen =
  (expression: string) =>
  async ({ context, site }: Visit) => {
    const page = await context.newPage();
    await page.goto(site.url);
    await page.evaluate(expression);
  };

const sharedVisits = `new Promise((resolve) => {
  const { port } = new SharedWorker('/shared-worker.js');
  port.onmessage = ({ data }) => resolve(data > 1 ? 'visited before' : 'first visit');
})`;

/** A page that keeps to a channel for as long as it lives, and answers who asks. */
const listen = `{
  const channel = new BroadcastChannel('left');
  channel.onmessage = ({ data }) => data === 'who?' && channel.postMessage('me');
}`;

/** That nobody answers is known when the server has been asked thirty times meanwhile: a busy machine delays both. */
const ask = `new Promise(async (resolve) => {
  const channel = new BroadcastChannel('left');
  channel.onmessage = ({ data }) => data === 'me' && resolve('somebody');
  channel.postMessage('who?');
  for (let asked = 0; asked < 30; asked++) await fetch('/');
  resolve('nobody');
})`;

const otherOrigin = async ({ context, site }: Visit, expression: string): Promise<unknown> => {
  const page = await context.newPage();
  await page.goto(site.otherUrl);
  const seen = await page.evaluate(expression);
  await page.close();
  return seen;
};

const STORAGE: readonly KindOfState[] = [
  { name: 'a cookie', leave: inPage("document.cookie = 'a=1'"), see: inPage('document.cookie') },
  {
    name: 'a cookie that lasts',
    leave: inPage("document.cookie = 'lasting=1; max-age=3600'"),
    see: inPage("document.cookie.includes('lasting')"),
  },
  {
    name: 'an HttpOnly cookie',
    leave: fetched('/cookie'),
    see: async ({ context }) => (await context.cookies()).some(({ name }) => name === 'id'),
  },
  {
    name: 'a cookie from addCookies',
    leave: ({ context, site }) => context.addCookies([{ name: 'given', value: '1', url: site.url }]),
    see: async ({ context }) => (await context.cookies()).some(({ name }) => name === 'given'),
  },
  {
    name: 'a cookie of another host',
    leave: (visit) => otherOrigin(visit, "document.cookie = 'other=1'"),
    see: (visit) => otherOrigin(visit, "document.cookie.includes('other')"),
  },
  { name: 'localStorage', leave: inPage("localStorage.setItem('a', 1)"), see: inPage('localStorage.length') },
  {
    name: 'localStorage of another origin',
    leave: (visit) => otherOrigin(visit, "localStorage.setItem('a', 1)"),
    see: (visit) => otherOrigin(visit, 'localStorage.length'),
  },
  {
    name: 'sessionStorage',
    leave: inPage("sessionStorage.setItem('a', 1)"),
    see: inPage('sessionStorage.length'),
  },
  {
    name: 'IndexedDB',
    leave: inPage(opened('left')),
    see: inPage('indexedDB.databases().then((all) => all.length)'),
  },
  {
    name: 'Cache Storage',
    leave: inPage("caches.open('left').then((cache) => cache.put('/kept', new Response('kept')))"),
    see: inPage('caches.keys()'),
  },
  {
    name: 'a private file',
    leave: inPage(
      "navigator.storage.getDirectory().then((root) => root.getFileHandle('left', { create: true })).then(() => true)",
    ),
    see: inPage('navigator.storage.getDirectory().then((root) => Array.fromAsync(root.keys()))'),
  },
  {
    name: 'a storage bucket',
    leave: inPage("navigator.storageBuckets.open('left').then(() => true)"),
    see: inPage('navigator.storageBuckets.keys()'),
  },
  {
    name: 'a service worker',
    leave: inPage(
      "navigator.serviceWorker.register('/service-worker.js').then(() => navigator.serviceWorker.ready).then(() => true)",
    ),
    see: inPage('navigator.serviceWorker.getRegistrations().then((all) => all.length)'),
  },
  { name: 'a shared worker', leave: onPageLeftOpen(sharedVisits), see: inPage(sharedVisits) },
  {
    name: 'a lock',
    leave: onPageLeftOpen(
      "new Promise((got) => void navigator.locks.request('left', () => (got(), new Promise(() => {}))))",
    ),
    see: inPage('navigator.locks.query().then(({ held }) => held.length)'),
  },
];

const NETWORK: readonly KindOfState[] = [
  {
    name: 'the HTTP cache',
    leave: fetched('/cached'),
    see: inPage(isCached('/cached')),
  },
  { name: 'a validator of the HTTP cache', leave: fetched('/etag'), see: fetched('/etag') },
  {
    name: 'a permanent redirect',
    leave: fetched('/moved'),
    see: inPage(isCached('/moved')),
  },
  {
    name: 'the answer to a preflight',
    leave: ({ page, site }) => page.evaluate(preflighted(site, "{ 'x-own': '1' }")),
    // A request without such a header has no preflight, and tells how many there were.
    see: async ({ page, site }) =>
      (await page.evaluate(preflighted(site, '{}'))) ===
      (await page.evaluate(preflighted(site, "{ 'x-own': '1' }"))),
  },
  {
    name: 'a login of HTTP authentication',
    leave: ({ context, site }) =>
      visitOnce(context, site.url.replace('//', '//ada:secret@').concat('secret?challenge')),
    see: fetched('/secret'),
  },
  {
    name: 'hints that a site asked for',
    leave: ({ context, site }) => visitOnce(context, `${site.url}hints`),
    see: inPage("fetch('/headers').then((r) => r.json()).then((headers) => 'sec-ch-ua-arch' in headers)"),
  },
  { name: 'an open connection', leave: fetched('/socket?remember'), see: inPage(sockets) },
];

const PAGES: readonly KindOfState[] = [
  {
    name: 'an open page',
    leave: onPageLeftOpen('1'),
    see: async ({ context }) => context.pages().length > 1,
    shows: 'on arrival',
  },
  {
    name: 'the address of the page',
    leave: async () => {},
    see: async ({ page }) => page.url(),
    shows: 'on arrival',
  },
  {
    name: 'the history of the page',
    leave: inPage("history.pushState({}, '', '/#second')"),
    see: inPage('history.length > 1'),
    shows: 'on arrival',
  },
  { name: 'window.name', leave: inPage("name = 'left'"), see: inPage('name') },
  {
    name: 'a page that answers on a channel',
    leave: onPageLeftOpen(listen),
    see: inPage(ask),
  },
  {
    name: 'a page that asks before it is left',
    leave: async ({ context, site }) => {
      const page = await context.newPage();
      await page.goto(site.url);
      await page.evaluate('onbeforeunload = (event) => event.preventDefault()');
      await page.mouse.click(1, 1);
    },
    see: async ({ context, site }) => context.pages().filter((page) => page.url() === site.url).length > 1,
    shows: 'on arrival',
  },
];

const CONTEXT: readonly KindOfState[] = [
  {
    name: 'a route of the context',
    leave: ({ context }) => context.route('**/routed', (route) => route.fulfill({ body: 'by the holder' })),
    see: inPage("fetch('/routed').then((response) => response.status)"),
  },
  {
    name: 'a route of the page',
    leave: ({ page }) => page.route('**/page-routed', (route) => route.fulfill({ body: 'by the holder' })),
    see: inPage("fetch('/page-routed').then((response) => response.status)"),
  },
  {
    name: 'a route of WebSockets',
    leave: ({ context }) => context.routeWebSocket('**/routed', (socket) => socket.send('by the holder')),
    see: inPage(
      "new Promise((resolve) => { const s = new WebSocket('/routed'); s.onmessage = () => resolve('routed'); s.onerror = () => resolve('refused'); })",
    ),
  },
  {
    name: 'an init script of the context',
    leave: ({ context }) => context.addInitScript('globalThis.initOfContext = 1'),
    see: inPage('typeof initOfContext'),
  },
  {
    name: 'an init script of the page',
    leave: ({ page }) => page.addInitScript('globalThis.initOfPage = 1'),
    see: inPage('typeof initOfPage'),
  },
  {
    name: 'an init script of a protocol session',
    leave: async (visit) => {
      await protocol('Page.enable', {})(visit);
      await protocol('Page.addScriptToEvaluateOnNewDocument', { source: 'globalThis.initOfSession = 1' })(
        visit,
      );
    },
    see: inPage('typeof initOfSession'),
  },
  {
    name: 'a binding of the context',
    leave: ({ context }) => context.exposeBinding('ofContext', () => 1),
    see: inPage('typeof ofContext'),
  },
  {
    name: 'a function of the page',
    leave: ({ page }) => page.exposeFunction('ofPage', () => 1),
    see: inPage('typeof ofPage'),
  },
  {
    name: 'headers',
    leave: ({ context }) => context.setExtraHTTPHeaders({ 'x-left': '1' }),
    see: inPage("fetch('/headers').then((r) => r.json()).then((headers) => headers['x-left'] ?? null)"),
  },
  {
    name: 'a permission',
    leave: ({ context }) => context.grantPermissions(['notifications']),
    see: inPage("navigator.permissions.query({ name: 'notifications' }).then(({ state }) => state)"),
  },
  {
    name: 'a place on earth, and leave to know it',
    leave: async ({ context }) => {
      await context.grantPermissions(['geolocation', 'notifications']);
      await context.setGeolocation({ latitude: 47, longitude: 8 });
    },
    see: inPage("navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"),
  },
  {
    name: 'a trace under way',
    leave: ({ context }) => context.tracing.start(),
    see: async ({ context }) => {
      const begun = await context.tracing.start().then(
        () => true,
        () => false,
      );
      if (begun) await context.tracing.stop();
      return begun;
    },
  },
];

const EMULATION: readonly KindOfState[] = [
  {
    name: 'the size of the page',
    leave: ({ page }) => page.setViewportSize({ width: 500, height: 400 }),
    see: inPage('[innerWidth, innerHeight]'),
  },
  {
    name: 'a colour scheme',
    leave: ({ page }) => page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' }),
    see: inPage("matchMedia('(prefers-color-scheme: dark)').matches"),
  },
  {
    name: 'reduced motion',
    leave: ({ page }) => page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' }),
    see: inPage("matchMedia('(prefers-reduced-motion)').matches"),
  },
  {
    name: 'a time zone',
    leave: protocol('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' }),
    see: inPage('Intl.DateTimeFormat().resolvedOptions().timeZone'),
  },
  {
    name: 'a language',
    leave: protocol('Emulation.setLocaleOverride', { locale: 'ja_JP' }),
    see: inPage('Intl.NumberFormat().resolvedOptions().locale'),
  },
  {
    name: 'a user agent',
    leave: protocol('Emulation.setUserAgentOverride', { userAgent: 'left' }),
    see: inPage("navigator.userAgent === 'left'"),
  },
  {
    name: 'a touch screen',
    leave: protocol('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 3 }),
    see: inPage('navigator.maxTouchPoints'),
  },
  {
    name: 'a number of processors',
    leave: protocol('Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: 77 }),
    see: inPage('navigator.hardwareConcurrency === 77'),
  },
  {
    name: 'blocked addresses',
    leave: async (visit) => {
      await protocol('Network.enable', {})(visit);
      await protocol('Network.setBlockedURLs', { urls: ['*/headers?blocked'] })(visit);
    },
    see: inPage("fetch('/headers?blocked').then(() => 'through', () => 'blocked')"),
  },
];

const ALONE: readonly KindOfState[] = [
  {
    name: 'being offline',
    leave: ({ context }) => context.setOffline(true),
    see: inPage('navigator.onLine'),
    shows: 'on arrival',
  },
  {
    name: 'another time',
    leave: ({ context }) => context.clock.setFixedTime(0),
    see: inPage('Date.now() < 1e12'),
  },
  {
    name: 'no scripts',
    leave: protocol('Emulation.setScriptExecutionDisabled', { value: true }),
    see: async ({ page, site }) => {
      await page.goto(`data:text/html,<title>no</title><script>document.title = 'yes'</script>`);
      const title = await page.title();
      await page.goto(site.url);
      return title;
    },
  },
];

/**
 * What one holder can leave at once: routes switch the HTTP cache off, and another user agent the hints that sites ask for.
 */
export const LOTS: readonly (readonly KindOfState[])[] = [
  [...STORAGE, ...NETWORK, ...PAGES],
  [...CONTEXT, ...EMULATION],
  ...ALONE.map((kind) => [kind]),
];

function preflighted({ otherUrl }: StateSite, headers: string): string {
  return `fetch('${otherUrl}preflighted', { headers: ${headers} }).then((response) => response.text())`;
}

async function visitOnce(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(url);
  await page.close();
}
