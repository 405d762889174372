import { INSTANCE_KEYS } from '../instance-keys.js';
import { isObject } from '../values.js';
import type { Keys, UpstreamOption } from './option.js';

/** What a call takes beside the step that is waited for. */
const CALL_MARGIN_MS = 5_000;

const NO_HTTP =
  'Leave it out: pwpool speaks stdio, and each client starts a server of its own. There is no HTTP transport yet.';
const NO_EXTENSION =
  'Start that browser with --remote-debugging-port=9222 and use --cdp-endpoint http://localhost:9222.';

/**
 * Every option of @playwright/mcp 0.0.83, and those that playwright-core 1.65.1 has beyond it. Reading flags, variables
 * and the file, `--help` and docs/migration.md derive from these rows. Where two rows of one source set one key, the upper
 * one counts.
 */
export const UPSTREAM_OPTIONS: readonly UpstreamOption[] = [
  // An installed channel says more than the name of the engine, so it comes first.
  {
    group: 'Browser',
    fields: ['browser.launchOptions.channel'],
    form: 'text',
    to: { keys: ['BROWSER'], set: browserOf },
  },
  {
    group: 'Browser',
    flag: '--browser <name>',
    variable: 'BROWSER',
    fields: ['browser.browserName'],
    form: 'text',
    help: 'chromium, chrome, msedge, firefox, webkit, or a channel such as chrome-beta',
    to: { keys: ['BROWSER'], set: browserOf },
  },
  {
    group: 'Browser',
    flag: '--executable-path <path>',
    variable: 'EXECUTABLE_PATH',
    fields: ['browser.launchOptions.executablePath'],
    form: 'path',
    help: 'the browser to start',
    to: 'EXECUTABLE_PATH',
  },
  {
    group: 'Browser',
    flag: '--headless',
    variable: 'HEADLESS',
    fields: ['browser.launchOptions.headless'],
    form: 'boolean',
    help: 'without a window, the default here; --no-headless shows one',
    to: 'HEADLESS',
  },
  {
    group: 'Browser',
    flag: '--isolated',
    variable: 'ISOLATED',
    fields: ['browser.isolated'],
    form: 'boolean',
    help: 'keep no profile on disk, the default here; --no-isolated keeps one',
    to: 'ISOLATED',
  },
  {
    group: 'Browser',
    flag: '--user-data-dir <path>',
    variable: 'USER_DATA_DIR',
    fields: ['browser.userDataDir'],
    form: 'path',
    help: 'the profile directory',
    to: 'USER_DATA_DIR',
    implies: () => ({ ISOLATED: false }),
  },
  {
    group: 'Browser',
    flag: '--sandbox',
    variable: 'SANDBOX',
    fields: ['browser.launchOptions.chromiumSandbox'],
    form: 'boolean',
    help: "Chromium's sandbox; --no-sandbox for none",
    to: 'SANDBOX',
  },
  {
    group: 'Browser',
    flag: '--proxy-server <address>',
    variable: 'PROXY_SERVER',
    form: 'text',
    help: 'the proxy for all requests',
    to: 'PROXY_SERVER',
  },
  {
    group: 'Browser',
    flag: '--proxy-bypass <hosts>',
    variable: 'PROXY_BYPASS',
    form: 'text',
    help: 'hosts to reach without it, separated by commas',
    to: 'PROXY_BYPASS',
  },
  {
    group: 'Browser',
    fields: ['browser.launchOptions.proxy', 'browser.contextOptions.proxy'],
    form: 'object',
    to: { keys: ['PROXY_SERVER', 'PROXY_BYPASS'], set: proxyOf },
  },
  {
    group: 'Browser',
    fields: ['browser.launchOptions.timeout'],
    form: 'number',
    to: { keys: ['START_TIMEOUT'], set: startTimeout },
  },
  {
    group: 'Browser',
    fields: ['browser.launchOptions.*'],
    form: 'object',
    to: 'LAUNCH_OPTIONS',
  },
  {
    group: 'Browser',
    flag: '--idle-timeout <ms>',
    variable: 'IDLE_TIMEOUT',
    fields: ['timeouts.idle'],
    form: 'number',
    help: 'close a browser that was not used for so long; 0: never',
    to: 'IDLE_TIMEOUT',
  },

  {
    group: 'Pages',
    flag: '--viewport-size <size>',
    variable: 'VIEWPORT_SIZE',
    fields: ['browser.contextOptions.viewport'],
    form: 'size',
    help: 'size of pages, such as 1280x720',
    to: 'VIEWPORT',
  },
  {
    group: 'Pages',
    flag: '--device <name>',
    variable: 'DEVICE',
    form: 'text',
    help: 'device to emulate, such as "iPhone 15"',
    to: 'DEVICE',
  },
  {
    group: 'Pages',
    flag: '--mobile',
    variable: 'MOBILE',
    form: 'boolean',
    help: 'emulate a phone',
    to: 'MOBILE',
  },
  {
    group: 'Pages',
    flag: '--user-agent <text>',
    variable: 'USER_AGENT',
    fields: ['browser.contextOptions.userAgent'],
    form: 'text',
    help: 'what the browser says it is',
    to: 'USER_AGENT',
  },
  {
    group: 'Pages',
    flag: '--storage-state <path>',
    variable: 'STORAGE_STATE',
    form: 'path',
    help: 'file with the cookies and storage to begin with',
    to: 'STORAGE_STATE',
  },
  {
    group: 'Pages',
    fields: ['browser.contextOptions.storageState'],
    form: 'path',
    to: {
      keys: ['STORAGE_STATE', 'CONTEXT_OPTIONS'],
      set: (state) =>
        isObject(state) ? { CONTEXT_OPTIONS: { storageState: state } } : { STORAGE_STATE: state },
    },
  },
  {
    group: 'Pages',
    flag: '--grant-permissions <names...>',
    variable: 'GRANT_PERMISSIONS',
    fields: ['browser.contextOptions.permissions'],
    form: 'list',
    help: 'what pages may do without asking, such as geolocation',
    to: 'PERMISSIONS',
  },
  {
    group: 'Pages',
    flag: '--ignore-https-errors',
    variable: 'IGNORE_HTTPS_ERRORS',
    fields: ['browser.contextOptions.ignoreHTTPSErrors'],
    form: 'boolean',
    help: 'open pages with a faulty certificate',
    to: 'IGNORE_HTTPS_ERRORS',
  },
  {
    group: 'Pages',
    flag: '--block-service-workers',
    variable: 'BLOCK_SERVICE_WORKERS',
    form: 'boolean',
    help: 'no service workers',
    to: 'BLOCK_SERVICE_WORKERS',
  },
  {
    group: 'Pages',
    fields: ['browser.contextOptions.serviceWorkers'],
    form: 'text',
    to: {
      keys: ['BLOCK_SERVICE_WORKERS'],
      set: (workers) => ({
        BLOCK_SERVICE_WORKERS: workers === 'block' || (workers === 'allow' ? false : workers),
      }),
    },
  },
  {
    group: 'Pages',
    fields: ['browser.contextOptions.*'],
    form: 'object',
    to: 'CONTEXT_OPTIONS',
  },
  {
    group: 'Pages',
    flag: '--init-script <paths...>',
    variable: 'INIT_SCRIPT',
    fields: ['browser.initScript'],
    form: 'paths',
    help: 'JavaScript to run in every page before its own',
    to: 'INIT_SCRIPT',
  },
  {
    group: 'Pages',
    flag: '--init-page <paths...>',
    variable: 'INIT_PAGE',
    fields: ['browser.initPage'],
    form: 'paths',
    help: 'module to call with { page } for every page',
    to: 'INIT_PAGE',
  },
  {
    group: 'Pages',
    flag: '--allowed-origins <origins>',
    variable: 'ALLOWED_ORIGINS',
    fields: ['network.allowedOrigins'],
    form: 'origins',
    help: 'origins that pages may request from, separated by semicolons',
    to: 'ALLOWED_ORIGINS',
  },
  {
    group: 'Pages',
    flag: '--blocked-origins <origins>',
    variable: 'BLOCKED_ORIGINS',
    fields: ['network.blockedOrigins'],
    form: 'origins',
    help: 'origins that they may not',
    to: 'BLOCKED_ORIGINS',
  },

  {
    group: 'Running browser',
    flag: '--cdp-endpoint <address>',
    variable: 'CDP_ENDPOINT',
    fields: ['browser.cdpEndpoint'],
    form: 'text',
    help: 'browser with a debugging port to attach to',
    to: { keys: ['ENDPOINT'], set: cdpEndpoint },
    // Upstream works in the browser's own profile then, with its logins.
    implies: () => ({ ISOLATED: false }),
  },
  {
    group: 'Running browser',
    flag: '--cdp-header <headers...>',
    variable: 'CDP_HEADERS',
    fields: ['browser.cdpHeaders'],
    form: 'headers',
    help: 'header to send there, "Name: value"',
    to: { keys: ['ENDPOINT_HEADERS'], set: endpointHeaders },
  },
  {
    group: 'Running browser',
    flag: '--cdp-timeout <ms>',
    variable: 'CDP_TIMEOUT',
    fields: ['browser.cdpTimeout'],
    form: 'number',
    help: 'time to connect in; 0: no limit',
    to: { keys: ['START_TIMEOUT'], set: startTimeout },
  },
  {
    group: 'Running browser',
    flag: '--endpoint <address>',
    fields: ['browser.remoteEndpoint', 'browser.remoteEndpoint.endpoint'],
    form: 'text',
    help: 'Playwright server to attach to, ws://…',
    to: 'ENDPOINT',
  },
  {
    group: 'Running browser',
    fields: ['browser.remoteEndpoint.timeout'],
    form: 'number',
    to: { keys: ['START_TIMEOUT'], set: startTimeout },
  },
  {
    group: 'Running browser',
    fields: ['browser.remoteEndpoint.slowMo', 'browser.remoteEndpoint.exposeNetwork'],
    form: 'object',
    to: { refused: 'Leave it out. LAUNCH_OPTIONS has slowMo for browsers that pwpool starts.' },
  },
  {
    group: 'Running browser',
    flag: '--remote-header <headers...>',
    variable: 'REMOTE_HEADERS',
    fields: ['browser.remoteEndpoint.headers', 'browser.remoteHeaders'],
    form: 'headers',
    help: 'header to send there, "Name: value"',
    to: { keys: ['ENDPOINT_HEADERS'], set: endpointHeaders },
  },
  {
    group: 'Running browser',
    flag: '--extension',
    variable: 'EXTENSION',
    fields: ['extension'],
    form: 'boolean',
    to: { refused: NO_EXTENSION },
  },
  {
    group: 'Running browser',
    variable: 'EXTENSION_TOKEN',
    form: 'text',
    to: { already: 'It goes with the extension, which pwpool does not use.' },
  },
  {
    group: 'Running browser',
    flag: '--profile-dir-name <name>',
    variable: 'PROFILE_DIR_NAME',
    form: 'text',
    to: { refused: NO_EXTENSION },
  },
  {
    group: 'Running browser',
    flag: '--background',
    variable: 'BACKGROUND',
    fields: ['background'],
    form: 'boolean',
    to: { refused: NO_EXTENSION },
  },
  {
    group: 'Running browser',
    flag: '--no-tab-group',
    variable: 'NO_TAB_GROUP',
    fields: ['tabGroup'],
    form: 'boolean',
    to: { already: 'It goes with the extension, which pwpool does not use.' },
  },

  {
    group: 'Tools',
    flag: '--caps <groups>',
    variable: 'CAPS',
    fields: ['capabilities'],
    form: 'list',
    help: 'more tools: config, network, storage, devtools, testing, vision, pdf',
    to: { keys: ['CAPS'], set: capabilities },
  },
  {
    group: 'Tools',
    flag: '--vision',
    form: 'boolean',
    to: { keys: ['CAPS'], set: (on) => (on === true ? { CAPS: ['vision'] } : {}) },
  },
  {
    group: 'Tools',
    flag: '--timeout-action <ms>',
    variable: 'TIMEOUT_ACTION',
    fields: ['timeouts.action'],
    form: 'number',
    help: 'for an action on an element',
    to: 'TIMEOUT_ACTION',
    implies: timeoutAbove,
  },
  {
    group: 'Tools',
    flag: '--timeout-navigation <ms>',
    variable: 'TIMEOUT_NAVIGATION',
    fields: ['timeouts.navigation'],
    form: 'number',
    help: 'for a navigation',
    to: 'TIMEOUT_NAVIGATION',
  },
  {
    group: 'Tools',
    flag: '--timeout-settle <ms>',
    variable: 'TIMEOUT_SETTLE',
    fields: ['timeouts.settle'],
    form: 'number',
    help: 'for what an action triggers',
    to: 'TIMEOUT_SETTLE',
    implies: timeoutAbove,
  },
  {
    group: 'Tools',
    fields: ['timeouts.expect'],
    form: 'number',
    to: 'TIMEOUT_EXPECT',
    implies: timeoutAbove,
  },
  {
    group: 'Tools',
    flag: '--snapshot-mode <mode>',
    fields: ['snapshot.mode'],
    form: 'text',
    help: 'full or none',
    to: 'SNAPSHOT_MODE',
  },
  {
    group: 'Tools',
    flag: '--snapshot-boxes',
    fields: ['snapshot.boxes'],
    form: 'boolean',
    help: 'tell in snapshots where elements are',
    to: 'SNAPSHOT_BOXES',
  },
  {
    group: 'Tools',
    flag: '--image-responses <mode>',
    variable: 'IMAGE_RESPONSES',
    fields: ['imageResponses'],
    form: 'text',
    help: 'allow, omit or only',
    to: 'IMAGE_RESPONSES',
  },
  {
    group: 'Tools',
    flag: '--console-level <level>',
    variable: 'CONSOLE_LEVEL',
    fields: ['console.level'],
    form: 'text',
    help: 'error, warning, info or debug',
    to: 'CONSOLE_LEVEL',
  },
  {
    group: 'Tools',
    flag: '--codegen <language>',
    variable: 'CODEGEN',
    fields: ['codegen'],
    form: 'text',
    help: 'typescript, python, java, csharp or none',
    to: 'CODEGEN',
  },
  {
    group: 'Tools',
    flag: '--test-id-attribute <name>',
    variable: 'TEST_ID_ATTRIBUTE',
    fields: ['testIdAttribute'],
    form: 'text',
    help: 'attribute for test ids',
    to: 'TEST_ID_ATTRIBUTE',
  },
  {
    group: 'Tools',
    flag: '--secrets <path>',
    variable: 'SECRETS_FILE',
    fields: ['secrets'],
    form: 'secrets',
    help: 'file of NAME=value lines that answers are not to show',
    to: 'SECRETS',
  },
  {
    group: 'Tools',
    flag: '--redact-url-params <names>',
    variable: 'REDACT_URL_PARAMS',
    fields: ['redactUrlParams'],
    form: 'list',
    help: 'parameters of addresses that answers are not to show',
    to: 'REDACT_URL_PARAMS',
  },
  {
    group: 'Tools',
    flag: '--no-webmcp',
    variable: 'WEBMCP',
    fields: ['webmcp'],
    form: 'boolean',
    to: { refused: 'Leave it out: tools that one page registers would be in the list of all sessions.' },
  },

  {
    group: 'Files',
    flag: '--output-dir <path>',
    variable: 'OUTPUT_DIR',
    fields: ['outputDir'],
    form: 'path',
    help: 'directory for files that tools write',
    to: 'OUTPUT_DIR',
  },
  {
    group: 'Files',
    flag: '--output-max-size <bytes>',
    variable: 'OUTPUT_MAX_SIZE',
    fields: ['outputMaxSize'],
    form: 'number',
    help: 'when to remove the oldest of them',
    to: 'OUTPUT_MAX_SIZE',
  },
  {
    group: 'Files',
    flag: '--file-paths <mode>',
    variable: 'FILE_PATHS',
    fields: ['filePaths'],
    form: 'text',
    help: 'absolute or relative, in answers',
    to: 'FILE_PATHS',
  },
  {
    group: 'Files',
    flag: '--save-session',
    fields: ['saveSession'],
    form: 'boolean',
    help: 'write calls and answers down there',
    to: 'SAVE_SESSION',
  },
  {
    group: 'Files',
    flag: '--allow-unrestricted-file-access',
    variable: 'ALLOW_UNRESTRICTED_FILE_ACCESS',
    fields: ['allowUnrestrictedFileAccess'],
    form: 'boolean',
    help: "files outside of the client's roots, and file:// addresses",
    to: 'ALLOW_UNRESTRICTED_FILE_ACCESS',
  },
  {
    group: 'Files',
    flag: '--ignore-roots',
    variable: 'IGNORE_ROOTS',
    fields: ['ignoreRoots'],
    form: 'boolean',
    help: "do not ask for the client's roots",
    to: 'IGNORE_ROOTS',
  },

  {
    group: 'Server',
    flag: '--config <path>',
    variable: 'CONFIG',
    form: 'path',
    help: "JSON file with options, in playwright-mcp's form",
    // It is read before all others.
    to: { keys: [], set: () => ({}) },
  },
  {
    group: 'Server',
    flag: '--port <port>',
    variable: 'PORT',
    fields: ['server.port'],
    form: 'number',
    to: { refused: NO_HTTP },
  },
  {
    group: 'Server',
    flag: '--host <host>',
    variable: 'HOST',
    fields: ['server.host'],
    form: 'text',
    to: { refused: NO_HTTP },
  },
  {
    group: 'Server',
    flag: '--allowed-hosts <hosts...>',
    variable: 'ALLOWED_HOSTS',
    fields: ['server.allowedHosts'],
    form: 'list',
    to: { refused: NO_HTTP },
  },
  {
    group: 'Server',
    variable: 'PING_TIMEOUT_MS',
    form: 'number',
    to: { already: 'It is about HTTP connections, of which there are none over stdio.' },
  },
  {
    group: 'Server',
    flag: '--shared-browser-context',
    fields: ['sharedBrowserContext'],
    form: 'boolean',
    to: {
      refused:
        'Leave it out: each session has a browser of its own. Calls that are to share one name the same sessionId.',
    },
  },
];

/** Upstream's names for what pwpool calls otherwise. */
function browserOf(name: unknown): Keys {
  const renamed: Readonly<Record<string, string>> = {
    'chrome-for-testing': 'chromium',
    'moz-firefox': 'firefox',
  };
  return { BROWSER: typeof name === 'string' ? (renamed[name] ?? name) : name };
}

/** A `ws://` address of CDP may have any path, which alone would name a Playwright server. */
function cdpEndpoint(address: unknown): Keys {
  const marked =
    typeof address === 'string' && /^wss?:/i.test(address) && !address.includes('/devtools/')
      ? `cdp+${address}`
      : address;
  return { ENDPOINT: marked };
}

function endpointHeaders(headers: unknown): Keys {
  return { ENDPOINT_HEADERS: isObject(headers) ? JSON.stringify(headers) : headers };
}

/** Node's longest time stands for no limit. */
function startTimeout(milliseconds: unknown): Keys {
  return { START_TIMEOUT: milliseconds === 0 ? 2 ** 31 - 1 : milliseconds };
}

/** A whole call is given up after TIMEOUT, which upstream does not have: it is to leave room for one step of it. */
function timeoutAbove(milliseconds: unknown): Keys {
  const wanted = Number(milliseconds) + CALL_MARGIN_MS;
  return wanted > INSTANCE_KEYS.TIMEOUT.default ? { TIMEOUT: wanted } : {};
}

/** `tracing` is an older name; `core-install` has no tools any more. */
function capabilities(names: unknown): Keys {
  if (!Array.isArray(names)) return { CAPS: names };
  const groups = names.map((name: unknown) => (name === 'tracing' ? 'devtools' : name));
  return { CAPS: [...new Set(groups)].filter((name) => name !== 'core-install') };
}

function proxyOf(proxy: unknown): Keys {
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
