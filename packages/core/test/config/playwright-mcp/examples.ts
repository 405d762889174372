import { resolve } from 'node:path';
import type { KeyName } from '../../../src/config/keys.js';

/** An option with a value, in each of the ways that upstream takes it, and what is in force then. */
export interface Example {
  flag?: readonly string[];
  /** Without `PLAYWRIGHT_MCP_`. */
  variable?: readonly [name: string, value: string];
  /** One or more JSON files that say the same. */
  json?: readonly object[];
  /** Settings of the default pool, its instances or the server; none for what changes nothing. */
  is: Partial<Record<KeyName, unknown>>;
}

/** The directory that the examples are run in, and the files in it. */
export const FILES = {
  'page.js': 'globalThis.started = true;',
  'page.mjs': 'export default async () => {};',
  'state.json': '{ "cookies": [], "origins": [] }',
  'secrets.env': 'PASSWORD=hunter2\nTOKEN="a b"\n',
};

const HERE = '<here>';
const at = (name: string) => `${HERE}/${name}`;

/** Puts the directory of a test into what is expected. */
export function inDirectory(value: unknown, directory: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(HERE, resolve(directory)));
}

const HEADERS = { Authorization: 'Bearer x:y' };

export const EXAMPLES: readonly Example[] = [
  {
    flag: ['--browser', 'chrome'],
    variable: ['BROWSER', 'chrome'],
    json: [
      { browser: { browserName: 'chromium', launchOptions: { channel: 'chrome' } } },
      { browser: { launchOptions: { channel: 'chrome' } } },
    ],
    is: { BROWSER: 'chrome' },
  },
  {
    flag: ['--browser', 'firefox'],
    variable: ['BROWSER', 'firefox'],
    json: [
      { browser: { browserName: 'firefox' } },
      { browser: { browserName: 'firefox', launchOptions: { channel: 'chrome' } } },
    ],
    is: { BROWSER: 'firefox' },
  },
  {
    flag: ['--executable-path', 'chrome/bin'],
    variable: ['EXECUTABLE_PATH', 'chrome/bin'],
    json: [{ browser: { launchOptions: { executablePath: 'chrome/bin' } } }],
    is: { EXECUTABLE_PATH: at('chrome/bin') },
  },
  {
    flag: ['--headless'],
    variable: ['HEADLESS', '1'],
    json: [{ browser: { launchOptions: { headless: true } } }],
    is: { HEADLESS: true },
  },
  {
    flag: ['--no-headless'],
    variable: ['HEADLESS', 'false'],
    json: [{ browser: { launchOptions: { headless: false } } }],
    is: { HEADLESS: false },
  },
  {
    flag: ['--isolated'],
    variable: ['ISOLATED', 'true'],
    json: [{ browser: { isolated: true } }],
    is: { ISOLATED: true },
  },
  {
    flag: ['--user-data-dir', 'profile'],
    variable: ['USER_DATA_DIR', 'profile'],
    json: [{ browser: { userDataDir: 'profile' } }],
    is: { USER_DATA_DIR: at('profile'), ISOLATED: false, INSTANCES: 1 },
  },
  {
    flag: ['--no-sandbox'],
    variable: ['SANDBOX', '0'],
    json: [{ browser: { launchOptions: { chromiumSandbox: false } } }],
    is: { SANDBOX: false },
  },
  {
    flag: ['--proxy-server', 'http://ada:s%20t@proxy:3128', '--proxy-bypass', '.com,localhost'],
    variable: ['PROXY_SERVER', 'http://ada:s%20t@proxy:3128'],
    json: [
      {
        browser: {
          launchOptions: {
            proxy: {
              server: 'http://proxy:3128',
              username: 'ada',
              password: 's t',
              bypass: '.com,localhost',
            },
          },
        },
      },
      {
        browser: {
          contextOptions: { proxy: { server: 'proxy:3128', username: 'ada', password: 's t' } },
        },
      },
    ],
    is: { PROXY_SERVER: 'http://ada:s%20t@proxy:3128' },
  },
  {
    flag: ['--proxy-bypass', '.com,localhost'],
    variable: ['PROXY_BYPASS', '.com,localhost'],
    json: [{ browser: { launchOptions: { proxy: { server: 'http://proxy', bypass: '.com,localhost' } } } }],
    is: { PROXY_BYPASS: '.com,localhost' },
  },
  {
    json: [{ browser: { launchOptions: { timeout: 7000 } } }],
    is: { START_TIMEOUT: 7000 },
  },
  {
    json: [{ browser: { launchOptions: { args: ['--mute-audio'], slowMo: 5 } } }],
    is: { LAUNCH_OPTIONS: { args: ['--mute-audio'], slowMo: 5 } },
  },
  {
    flag: ['--idle-timeout=0'],
    variable: ['IDLE_TIMEOUT', '0'],
    json: [{ timeouts: { idle: 0 } }],
    is: { IDLE_TIMEOUT: 0 },
  },
  {
    flag: ['--viewport-size', '800,600'],
    variable: ['VIEWPORT_SIZE', '800x600'],
    json: [{ browser: { contextOptions: { viewport: { width: 800, height: 600 } } } }],
    is: { VIEWPORT: '800x600' },
  },
  { json: [{ browser: { contextOptions: { viewport: null } } }], is: { VIEWPORT: 'window' } },
  { flag: ['--device', 'iPhone 15'], variable: ['DEVICE', 'iPhone 15'], is: { DEVICE: 'iPhone 15' } },
  { flag: ['--mobile'], variable: ['MOBILE', 'true'], is: { MOBILE: true } },
  {
    flag: ['--user-agent', 'Bot 1 (x=y)'],
    variable: ['USER_AGENT', 'Bot 1 (x=y)'],
    json: [{ browser: { contextOptions: { userAgent: 'Bot 1 (x=y)' } } }],
    is: { USER_AGENT: 'Bot 1 (x=y)' },
  },
  {
    flag: ['--storage-state=state.json'],
    variable: ['STORAGE_STATE', 'state.json'],
    json: [{ browser: { contextOptions: { storageState: 'state.json' } } }],
    is: { STORAGE_STATE: at('state.json') },
  },
  {
    json: [{ browser: { contextOptions: { storageState: { cookies: [], origins: [] }, locale: 'de-DE' } } }],
    is: { CONTEXT_OPTIONS: { storageState: { cookies: [], origins: [] }, locale: 'de-DE' } },
  },
  {
    flag: ['--grant-permissions', 'geolocation,clipboard-read', 'camera'],
    variable: ['GRANT_PERMISSIONS', 'geolocation, clipboard-read, camera'],
    json: [{ browser: { contextOptions: { permissions: ['geolocation', 'clipboard-read', 'camera'] } } }],
    is: { PERMISSIONS: ['geolocation', 'clipboard-read', 'camera'] },
  },
  {
    flag: ['--ignore-https-errors'],
    variable: ['IGNORE_HTTPS_ERRORS', 'true'],
    json: [{ browser: { contextOptions: { ignoreHTTPSErrors: true } } }],
    is: { IGNORE_HTTPS_ERRORS: true },
  },
  {
    flag: ['--block-service-workers'],
    variable: ['BLOCK_SERVICE_WORKERS', 'true'],
    json: [{ browser: { contextOptions: { serviceWorkers: 'block' } } }],
    is: { BLOCK_SERVICE_WORKERS: true },
  },
  {
    json: [{ browser: { contextOptions: { locale: 'de-DE', timezoneId: 'Europe/Berlin' } } }],
    is: { CONTEXT_OPTIONS: { locale: 'de-DE', timezoneId: 'Europe/Berlin' } },
  },
  {
    flag: ['--init-script', 'page.js', 'page.mjs'],
    json: [{ browser: { initScript: ['page.js', 'page.mjs'] } }],
    is: { INIT_SCRIPT: [at('page.js'), at('page.mjs')] },
  },
  {
    flag: ['--init-script=page.js'],
    variable: ['INIT_SCRIPT', 'page.js'],
    is: { INIT_SCRIPT: [at('page.js')] },
  },
  {
    flag: ['--init-page', 'page.mjs'],
    variable: ['INIT_PAGE', 'page.mjs'],
    json: [{ browser: { initPage: ['page.mjs'] } }],
    is: { INIT_PAGE: [at('page.mjs')] },
  },
  {
    flag: ['--allowed-origins', 'https://a.com;http://localhost:*'],
    variable: ['ALLOWED_ORIGINS', 'https://a.com; http://localhost:*'],
    json: [{ network: { allowedOrigins: ['https://a.com', 'http://localhost:*'] } }],
    is: { ALLOWED_ORIGINS: ['https://a.com', 'http://localhost:*'] },
  },
  {
    flag: ['--blocked-origins=https://b.com'],
    variable: ['BLOCKED_ORIGINS', 'https://b.com'],
    json: [{ network: { blockedOrigins: ['https://b.com'] } }],
    is: { BLOCKED_ORIGINS: ['https://b.com'] },
  },
  {
    flag: ['--cdp-endpoint', 'http://localhost:9222'],
    variable: ['CDP_ENDPOINT', 'http://localhost:9222'],
    json: [{ browser: { cdpEndpoint: 'http://localhost:9222' } }],
    is: { ENDPOINT: 'http://localhost:9222', ISOLATED: false, INSTANCES: 1 },
  },
  {
    flag: ['--cdp-endpoint', 'wss://cloud.example/?token=x', '--isolated'],
    json: [{ browser: { cdpEndpoint: 'wss://cloud.example/?token=x', isolated: true } }],
    is: { ENDPOINT: 'cdp+wss://cloud.example/?token=x', ISOLATED: true, INSTANCES: 8 },
  },
  {
    flag: ['--cdp-endpoint=http://h:1', '--cdp-header', 'Authorization: Bearer x:y', 'X-A: b'],
    json: [{ browser: { cdpEndpoint: 'http://h:1', cdpHeaders: { ...HEADERS, 'X-A': 'b' } } }],
    is: { ENDPOINT_HEADERS: JSON.stringify({ ...HEADERS, 'X-A': 'b' }) },
  },
  {
    flag: ['--cdp-timeout', '0'],
    variable: ['CDP_TIMEOUT', '0'],
    json: [{ browser: { cdpTimeout: 0 } }],
    is: { START_TIMEOUT: 2 ** 31 - 1 },
  },
  {
    flag: ['--endpoint', 'ws://localhost:4444/a'],
    json: [
      { browser: { remoteEndpoint: 'ws://localhost:4444/a' } },
      { browser: { remoteEndpoint: { endpoint: 'ws://localhost:4444/a' } } },
    ],
    is: { ENDPOINT: 'ws://localhost:4444/a', ISOLATED: true, INSTANCES: 8 },
  },
  {
    flag: ['--endpoint', 'ws://localhost:4444/a', '--remote-header', 'Authorization:Bearer x:y'],
    json: [
      { browser: { remoteEndpoint: { endpoint: 'ws://localhost:4444/a', headers: HEADERS } } },
      { browser: { remoteEndpoint: 'ws://localhost:4444/a', remoteHeaders: HEADERS } },
    ],
    is: { ENDPOINT_HEADERS: JSON.stringify(HEADERS) },
  },
  {
    json: [{ browser: { remoteEndpoint: { endpoint: 'ws://localhost:4444/a', timeout: 900 } } }],
    is: { START_TIMEOUT: 900 },
  },
  {
    flag: ['--caps=vision,tracing', '--caps', 'pdf'],
    variable: ['CAPS', 'vision, devtools, pdf'],
    json: [{ capabilities: ['vision', 'devtools', 'pdf', 'core-install'] }],
    is: { CAPS: ['vision', 'devtools', 'pdf'] },
  },
  { flag: ['--vision', '--caps=pdf'], is: { CAPS: ['pdf', 'vision'] } },
  {
    flag: ['--timeout-action', '60000'],
    variable: ['TIMEOUT_ACTION', '60000'],
    json: [{ timeouts: { action: 60_000 } }],
    is: { TIMEOUT_ACTION: 60_000, TIMEOUT: 65_000 },
  },
  {
    flag: ['--timeout-navigation', '60000'],
    variable: ['TIMEOUT_NAVIGATION', '60000'],
    json: [{ timeouts: { navigation: 60_000 } }],
    is: { TIMEOUT_NAVIGATION: 60_000, TIMEOUT: 30_000 },
  },
  {
    flag: ['--timeout-settle', '0'],
    variable: ['TIMEOUT_SETTLE', '0'],
    json: [{ timeouts: { settle: 0 } }],
    is: { TIMEOUT_SETTLE: 0 },
  },
  { json: [{ timeouts: { expect: 100 } }], is: { TIMEOUT_EXPECT: 100 } },
  {
    flag: ['--snapshot-mode', 'none'],
    json: [{ snapshot: { mode: 'none' } }],
    is: { SNAPSHOT_MODE: 'none' },
  },
  { flag: ['--snapshot-boxes'], json: [{ snapshot: { boxes: true } }], is: { SNAPSHOT_BOXES: true } },
  {
    flag: ['--image-responses', 'omit'],
    variable: ['IMAGE_RESPONSES', 'omit'],
    json: [{ imageResponses: 'omit' }],
    is: { IMAGE_RESPONSES: 'omit' },
  },
  {
    flag: ['--console-level', 'debug'],
    variable: ['CONSOLE_LEVEL', 'debug'],
    json: [{ console: { level: 'debug' } }],
    is: { CONSOLE_LEVEL: 'debug' },
  },
  {
    flag: ['--codegen', 'python'],
    variable: ['CODEGEN', 'python'],
    json: [{ codegen: 'python' }],
    is: { CODEGEN: 'python' },
  },
  {
    flag: ['--test-id-attribute', 'data-qa'],
    variable: ['TEST_ID_ATTRIBUTE', 'data-qa'],
    json: [{ testIdAttribute: 'data-qa' }],
    is: { TEST_ID_ATTRIBUTE: 'data-qa' },
  },
  {
    flag: ['--secrets', 'secrets.env'],
    variable: ['SECRETS_FILE', 'secrets.env'],
    json: [{ secrets: { PASSWORD: 'hunter2', TOKEN: 'a b' } }],
    is: { SECRETS: { PASSWORD: 'hunter2', TOKEN: 'a b' } },
  },
  {
    flag: ['--redact-url-params', 'access_token,code'],
    variable: ['REDACT_URL_PARAMS', 'access_token,code'],
    json: [{ redactUrlParams: ['access_token', 'code'] }],
    is: { REDACT_URL_PARAMS: ['access_token', 'code'] },
  },
  { flag: ['--no-webmcp'], variable: ['WEBMCP', 'false'], json: [{ webmcp: false }], is: {} },
  {
    flag: ['--output-dir', 'out'],
    variable: ['OUTPUT_DIR', 'out'],
    json: [{ outputDir: 'out' }],
    is: { OUTPUT_DIR: at('out') },
  },
  {
    flag: ['--output-max-size', '1000'],
    variable: ['OUTPUT_MAX_SIZE', '1000'],
    json: [{ outputMaxSize: 1000 }],
    is: { OUTPUT_MAX_SIZE: 1000 },
  },
  {
    flag: ['--file-paths', 'relative'],
    variable: ['FILE_PATHS', 'relative'],
    json: [{ filePaths: 'relative' }],
    is: { FILE_PATHS: 'relative' },
  },
  { flag: ['--save-session'], json: [{ saveSession: true }], is: { SAVE_SESSION: true } },
  {
    flag: ['--allow-unrestricted-file-access'],
    variable: ['ALLOW_UNRESTRICTED_FILE_ACCESS', 'true'],
    json: [{ allowUnrestrictedFileAccess: true }],
    is: { ALLOW_UNRESTRICTED_FILE_ACCESS: true },
  },
  {
    flag: ['--ignore-roots'],
    variable: ['IGNORE_ROOTS', 'true'],
    json: [{ ignoreRoots: true }],
    is: { IGNORE_ROOTS: true },
  },
  { variable: ['EXTENSION_TOKEN', 'x'], is: {} },
  { flag: ['--no-extension'], variable: ['EXTENSION', 'false'], json: [{ extension: false }], is: {} },
  { flag: ['--no-tab-group'], variable: ['NO_TAB_GROUP', 'true'], json: [{ tabGroup: false }], is: {} },
  { flag: ['--no-background'], variable: ['BACKGROUND', 'false'], json: [{ background: false }], is: {} },
  { variable: ['PING_TIMEOUT_MS', '100'], is: {} },
  {
    flag: ['--port', '9000'],
    variable: ['PORT', '9000'],
    json: [{ server: { port: 9000 } }],
    is: { HTTP_PORT: 9000 },
  },
  {
    flag: ['--host=::1'],
    variable: ['HOST', '::1'],
    json: [{ server: { host: '::1' } }],
    is: { HTTP_HOST: '::1' },
  },
  {
    flag: ['--allowed-hosts', 'a', 'b'],
    variable: ['ALLOWED_HOSTS', 'a,b'],
    json: [{ server: { allowedHosts: ['a', 'b'] } }],
    is: { HTTP_ALLOWED_HOSTS: ['a', 'b'] },
  },
  { flag: ['--no-shared-browser-context'], json: [{ sharedBrowserContext: false }], is: {} },
];

/** An option that is refused, in each of the ways that upstream takes it, and what its fix names. */
export interface Refusal extends Omit<Example, 'is'> {
  fix: string;
}

export const REFUSALS: readonly Refusal[] = [
  {
    flag: ['--extension'],
    variable: ['EXTENSION', 'true'],
    json: [{ extension: true }],
    fix: '--cdp-endpoint',
  },
  { flag: ['--profile-dir-name=A'], variable: ['PROFILE_DIR_NAME', 'A'], fix: '--cdp-endpoint' },
  {
    flag: ['--background'],
    variable: ['BACKGROUND', 'true'],
    json: [{ background: true }],
    fix: '--cdp-endpoint',
  },
  { flag: ['--shared-browser-context'], json: [{ sharedBrowserContext: true }], fix: 'sessionId' },
  { flag: ['--webmcp'], variable: ['WEBMCP', 'true'], json: [{ webmcp: true }], fix: 'all sessions' },
  {
    json: [
      { browser: { remoteEndpoint: { endpoint: 'ws://h:1/', slowMo: 5 } } },
      { browser: { remoteEndpoint: { endpoint: 'ws://h:1/', exposeNetwork: '*' } } },
    ],
    fix: 'LAUNCH_OPTIONS',
  },
];
