// @module-tag at-length
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UNTRUSTED } from './fixtures/certificate.js';
import { onSharedServer } from './fixtures/shared-server.js';
import { poolsOf, StdioServer, temporaryDirectory } from './fixtures/stdio-server.js';

const FILE = {
  snapshot: { mode: 'none' },
  timeouts: { action: 300, settle: 0 },
  browser: { launchOptions: { args: ['--lang=fr', '--user-agent=From launch options'] } },
};
/** What the file of options says, and nothing beside it. */
const testFile = onSharedServer(
  { PLAYWRIGHT_MCP_CONFIG: 'mcp.json' },
  { files: { 'mcp.json': JSON.stringify(FILE) } },
);

/** A server on a port of its own, gone when the test has finished. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function site(answer: RequestListener): Promise<string> {
  return `http://${await listening(createServer(answer))}`;
}

/** A page that tells the headers of its request. */
const echo: RequestListener = (request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(
    `<title>echo</title><pre>${JSON.stringify(request.headers)}</pre><button data-qa="go">Go</button>`,
  );
};

/** A server with these variables and flags, and files in its directory. */
async function started(
  variables: Record<string, string> = {},
  options: { args?: readonly string[]; files?: Readonly<Record<string, string>> } = {},
): Promise<StdioServer> {
  return await StdioServer.start(variables, undefined, options);
}

/** Opens the address in a session, and gives what the expression is in that page. */
async function evaluated(server: StdioServer, sessionId: string, url: string, expression: string) {
  await server.text('start_browser', { sessionId });
  await server.text('browser_navigate', { sessionId, url });
  const text = await server.text('browser_evaluate', { sessionId, function: `async () => (${expression})` });
  return JSON.parse(/### Result\n([\s\S]*?)\n###/.exec(text)?.[1] ?? text) as unknown;
}

/** The port that a browser with a profile below the directory has chosen for its debuggers. */
async function debuggingPort(directory: string): Promise<string> {
  const file = (await readdir(directory, { recursive: true })).find((path) =>
    path.endsWith('DevToolsActivePort'),
  );
  if (file === undefined) throw new Error('No browser has told its port.');
  return (await readFile(join(directory, file), 'utf8')).split('\n')[0] ?? '';
}

const STATE = (origin: string) =>
  JSON.stringify({
    cookies: [
      {
        name: 'who',
        value: 'ada',
        domain: '127.0.0.1',
        path: '/',
        expires: -1,
        httpOnly: false,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin, localStorage: [{ name: 'cart', value: '3' }] }],
  });

describe('options of pages', () => {
  const FACTS = `({
    size: [innerWidth, innerHeight].join('x'), agent: navigator.userAgent, started: globalThis.started,
    geolocation: (await navigator.permissions.query({ name: 'geolocation' })).state,
    language: navigator.language, zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cookie: document.cookie, cart: localStorage.cart, named: window.name,
    header: document.body.innerText.includes('"x-team":"blue"'),
  })`;

  it('are there in every browser of the default pool and after every reset [arch-option-01, arch-option-03]', async () => {
    const origin = await site(echo);
    const config = {
      browser: {
        contextOptions: {
          locale: 'de-DE',
          timezoneId: 'Asia/Tokyo',
          extraHTTPHeaders: { 'x-team': 'blue' },
        },
      },
    };
    await using server = await started(
      { PLAYWRIGHT_MCP_USER_AGENT: 'Robot 1', PLAYWRIGHT_MCP_STORAGE_STATE: 'state.json' },
      {
        args: [
          ...['--viewport-size=800x600', '--grant-permissions', 'geolocation', 'notifications'],
          ...['--init-script', 'script.js', '--init-page=page.ts', '--config', 'mcp.json'],
        ],
        files: {
          'script.js': 'globalThis.started = "first";',
          'page.ts':
            'export default async function ({ page }) { await page.addInitScript(() => { window.name = "init page"; }); }',
          'state.json': STATE(origin),
          'mcp.json': JSON.stringify(config),
        },
      },
    );
    const facts = {
      size: '800x600',
      agent: 'Robot 1',
      started: 'first',
      geolocation: 'granted',
      language: 'de-DE',
      zone: 'Asia/Tokyo',
      cookie: 'who=ada',
      cart: '3',
      named: 'init page',
      header: true,
    };
    expect(await evaluated(server, 'one', origin, FACTS)).toEqual(facts);
    expect(await evaluated(server, 'two', origin, FACTS)).toEqual(facts);
    await server.text('close_session', { sessionId: 'one' });
    expect(await evaluated(server, 'three', origin, FACTS)).toEqual(facts);
  });

  it('a device, or a phone', async () => {
    const origin = await site(echo);
    const facts = '[screen.width, devicePixelRatio, /iPhone|Android/.exec(navigator.userAgent)?.[0]]';
    await using iphone = await started({}, { args: ['--device', 'iPhone 15'] });
    expect(await evaluated(iphone, 'one', origin, facts)).toEqual([393, 3, 'iPhone']);
    await using phone = await started({ PLAYWRIGHT_MCP_MOBILE: '1' });
    expect(await evaluated(phone, 'one', origin, facts)).toEqual([360, 3, 'Android']);
  });

  it('a proxy, with what is to go past it', async () => {
    const direct = await site(echo);
    const proxy = await site((request, response) => {
      const login = request.headers['proxy-authorization'];
      if (login === undefined) response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
      else response.setHeader('content-type', 'text/html').end(`<p>${request.url} ${login}</p>`);
    });
    const address = proxy.replace('http://', 'http://ada:secret@');
    await using server = await started({}, { args: ['--proxy-server', address, '--proxy-bypass=127.0.0.1'] });
    const login = Buffer.from('ada:secret').toString('base64');
    expect(await evaluated(server, 'one', 'http://shop.invalid/x', 'document.body.innerText')).toBe(
      `http://shop.invalid/x Basic ${login}`,
    );
    expect(await evaluated(server, 'two', direct, 'document.title')).toBe('echo');
  });

  it('faulty certificates, origins, service workers', async () => {
    const secure = `https://${await listening(createTlsServer(UNTRUSTED, echo))}`;
    const blocked = await site(echo);
    const open = await site((request, response) => {
      const script = request.url === '/worker.js';
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html').end('');
    });
    await using server = await started(
      {},
      { args: ['--ignore-https-errors', '--block-service-workers', '--blocked-origins', blocked] },
    );
    expect(await evaluated(server, 'one', secure, 'document.title')).toBe('echo');
    expect(
      await evaluated(
        server,
        'two',
        open,
        `Promise.race([navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.getRegistrations()).then((all) => all.length)])`,
      ),
    ).toBe(0);
    expect(await server.call('browser_navigate', { sessionId: 'one', url: blocked })).toMatchObject({
      isError: true,
    });
    await using strict = await started({}, { args: [`--allowed-origins=${open}`] });
    expect(await evaluated(strict, 'one', open, '1')).toBe(1);
    expect(await strict.call('browser_navigate', { sessionId: 'one', url: blocked })).toMatchObject({
      isError: true,
    });
  });
});

describe('options of tools', () => {
  it('what answers show: snapshots, code, images, console, secrets, parameters, logs', async () => {
    const origin = await site((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        '<title>t</title><p>hunter2</p><button data-qa="go">Go</button><script>console.info("told"); console.warn("warned")</script>',
      );
    });
    await using server = await started(
      { PLAYWRIGHT_MCP_SECRETS_FILE: 'secrets.env', PLAYWRIGHT_MCP_OUTPUT_DIR: 'out' },
      {
        args: [
          ...['--snapshot-boxes', '--codegen=python', '--image-responses', 'omit', '--console-level=warning'],
          ...['--redact-url-params=token', '--save-session', '--test-id-attribute', 'data-qa'],
        ],
        files: { 'secrets.env': 'PASSWORD=hunter2\n' },
      },
    );
    const sessionId = 'one';
    await server.text('start_browser', { sessionId });
    const navigated = await server.text('browser_navigate', { sessionId, url: `${origin}/?token=abc&x=1` });
    expect(navigated).toContain('```python');
    expect(navigated).toContain('token=<redacted>&x=1');
    const snapshot = await server.text('browser_snapshot', { sessionId });
    expect(snapshot).toMatch(/button "Go" .*\[box=/);
    expect(snapshot).toContain('<secret>PASSWORD</secret>');
    expect(snapshot).not.toContain('hunter2');
    const ref = /button "Go" .*?\[ref=(\w+)\]/.exec(snapshot)?.[1] ?? '';
    const clicked = await server.text('browser_click', { sessionId, target: ref, element: 'Go' });
    expect(clicked).toContain('get_by_test_id("go")');
    const shot = await server.call('browser_take_screenshot', { sessionId });
    expect(shot.content.map(({ type }) => type)).toEqual(['text', 'resource_link']);
    // Logs are written behind the answers.
    const content = async (name: RegExp) => {
      const written = await readdir(join(server.directory, 'out'), { recursive: true });
      return await readFile(
        join(server.directory, 'out', written.find((path) => name.test(path)) ?? ''),
        'utf8',
      );
    };
    await expect.poll(() => content(/session\.md$/)).toContain('browser_click');
    await expect.poll(() => content(/console-.*\.log$/)).toMatch(/^(?![\s\S]*told)[\s\S]*warned/);
  });

  testFile('no snapshot with an action, and a time for one', async ({ server }) => {
    const origin = await site((_, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end('<title>t</title><button disabled>Go</button><button style="margin-top:50px">On</button>'),
    );
    const sessionId = 'one';
    await server.text('start_browser', { sessionId });
    expect(await server.text('browser_navigate', { sessionId, url: origin })).not.toContain('Snapshot');
    const { message } = await server.error('browser_wait_for', { sessionId, text: 'never' });
    expect(message).toMatch(/300 ?ms/);
  });

  testFile('files outside of the roots, where they are allowed', async ({ server }) => {
    const url = `file://${import.meta.filename}`;
    await using open = await started({}, { args: ['--allow-unrestricted-file-access'] });
    await open.text('start_browser', { sessionId: 'one' });
    expect(await open.text('browser_navigate', { sessionId: 'one', url })).toContain('upstream-options');
    expect((await server.call('browser_navigate', { url })).isError).toBe(true);
  });
});

describe('options of the browser', () => {
  it('a profile directory is used as such, and keeps a login from one server to the next', async () => {
    const origin = await site((request, response) => {
      if (request.url === '/login') response.setHeader('set-cookie', 'seen=yes; Max-Age=86400');
      response.setHeader('content-type', 'text/html').end();
    });
    await using directory = await temporaryDirectory();
    const profile = join(directory.path, 'my profile');
    const cookieOf = async (variables: Record<string, string>, args: string[], url: string) => {
      await using server = await started(variables, { args });
      expect(await poolsOf(server)).toMatchObject([{ name: 'DEFAULT', total_instances: 1 }]);
      return await evaluated(server, 'one', url, 'document.cookie');
    };
    expect(await cookieOf({}, ['--user-data-dir', profile], `${origin}/login`)).toBe('seen=yes');
    expect(await readdir(profile)).toContain('Default');
    expect(await cookieOf({ PLAYWRIGHT_MCP_USER_DATA_DIR: profile }, [], origin)).toBe('seen=yes');
  });

  testFile('launch options of the file reach the browser', async ({ server }) => {
    const origin = await site(echo);
    expect(await evaluated(server, 'one', origin, 'navigator.userAgent')).toBe('From launch options');
  });

  it('options hold for a browser of a tool server of its own (DRIVER=process)', async () => {
    const origin = await site(echo);
    const args = [
      '--user-agent=Robot 2',
      '--viewport-size=500x400',
      '--init-script=script.js',
      '--snapshot-mode=none',
    ];
    await using server = await started(
      { PW_MCP_PROXY_DRIVER: 'process' },
      { args, files: { 'script.js': 'globalThis.started = 1;' } },
    );
    const facts = '[navigator.userAgent, innerWidth, innerHeight, globalThis.started]';
    expect(await evaluated(server, 'one', origin, facts)).toEqual(['Robot 2', 500, 400, 1]);
    expect(await server.text('browser_navigate', { sessionId: 'one', url: origin })).not.toContain(
      'Snapshot',
    );
  });

  it('a browser that runs already is used in its own profile, in turns, or isolated by eight', async () => {
    const origin = await site((request, response) => {
      if (request.url === '/login') response.setHeader('set-cookie', 'seen=yes; Max-Age=86400');
      response.setHeader('content-type', 'text/html').end();
    });
    await using owner = await started({
      PW_MCP_PROXY_LAUNCH_OPTIONS: JSON.stringify({ args: ['--remote-debugging-port=0'] }),
      PW_MCP_PROXY_ISOLATED: 'false',
    });
    expect(await evaluated(owner, 'own', `${origin}/login`, 'document.cookie')).toBe('seen=yes');
    const args = ['--cdp-endpoint', `http://127.0.0.1:${await debuggingPort(owner.directory)}`];
    await using guest = await started({}, { args });
    expect(await poolsOf(guest)).toMatchObject([{ total_instances: 1 }]);
    expect(await evaluated(guest, 'one', origin, 'document.cookie')).toBe('seen=yes');
    await using apart = await started({}, { args: [...args, '--isolated'] });
    expect(await poolsOf(apart)).toMatchObject([{ total_instances: 8 }]);
    expect(await evaluated(apart, 'one', origin, 'document.cookie')).toBe('');
  });
});
