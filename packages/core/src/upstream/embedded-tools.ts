import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import type { BrowserContext } from 'playwright';
import type { Clock } from '../clock.js';
import type { Capability } from '../config/capabilities.js';
import type { Tool, ToolArguments, ToolConnection } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { withDeadline } from '../waiting/deadline.js';
import { Recordings } from './recordings.js';

/**
 * Upstream's tool server, in process. This is the only file that touches it: `createConnection` is not part of
 * Playwright's public API, so its version is pinned and `embedded-tools.browser.test.ts` is the contract.
 */
interface UpstreamTools {
  createConnection(
    config: UpstreamConfig,
    contextGetter: () => Promise<BrowserContext>,
  ): Promise<{ connect(transport: Transport): Promise<void>; close(): Promise<void> }>;
}

/** Settings of upstream's tool server, in process or not. */
export interface UpstreamConfig {
  capabilities: readonly string[];
  /** Tools that a page registers would show up in the list that all sessions share. */
  webmcp: false;
  /** Where screenshots without a name, snapshots and downloads go. */
  outputDir?: string | undefined;
  /** Bytes; upstream removes the oldest files of `outputDir` beyond it. */
  outputMaxSize?: number | undefined;
  filePaths?: 'absolute' | 'relative' | undefined;
  /** Milliseconds. */
  timeouts: { action: number; navigation: number; settle: number; expect?: number };
  saveSession?: boolean | undefined;
  codegen?: 'typescript' | 'python' | 'java' | 'csharp' | 'none' | undefined;
  console?: { level: 'error' | 'warning' | 'info' | 'debug' } | undefined;
  snapshot?: { mode: 'full' | 'none'; boxes: boolean } | undefined;
  imageResponses?: 'allow' | 'omit' | 'only' | undefined;
  secrets?: Readonly<Record<string, string>> | undefined;
  redactUrlParams?: readonly string[] | undefined;
  network?: { allowedOrigins: readonly string[]; blockedOrigins: readonly string[] } | undefined;
  allowUnrestrictedFileAccess?: boolean | undefined;
  /** Files; init pages are modules, called with each page. */
  browser?: { initScript: readonly string[]; initPage: readonly string[] } | undefined;
  testIdAttribute?: string | undefined;
}

/** Longest request the SDK's client waits for; deadlines are the instance's job. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface EmbeddedToolsOptions extends Omit<UpstreamConfig, 'webmcp'> {
  /** The groups of tools to offer beside the core ones. */
  capabilities: readonly Capability[];
  /** Where screenshots without a name, snapshots and downloads go. */
  outputDir: string;
  /** What file names are resolved against. Default: the working directory. */
  root?: string | undefined;
}

function upstream(): UpstreamTools {
  const require = createRequire(import.meta.url);
  return (require('playwright-core/lib/coreBundle') as { tools: UpstreamTools }).tools;
}

async function connect(config: UpstreamConfig, root: string, contextGetter: () => Promise<BrowserContext>) {
  const server = await upstream().createConnection(config, contextGetter);
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  // Upstream takes the working directory by itself; to be told of roots costs it a timer that runs for 5 s.
  const hasRoot = root !== process.cwd();
  const client = new Client({ name: 'pwpool', version: '0' }, { capabilities: hasRoot ? { roots: {} } : {} });
  const roots = [{ uri: pathToFileURL(root).href }];
  if (hasRoot) client.setRequestHandler('roots/list', () => ({ roots }));
  await client.connect(clientSide);
  return {
    client,
    async close() {
      await client.close();
      await server.close();
    },
  };
}

export function upstreamConfig(options: EmbeddedToolsOptions): UpstreamConfig {
  const { root: _, capabilities, ...config } = options;
  return { ...config, capabilities: ['core', ...capabilities], webmcp: false };
}

/**
 * Removes upstream's process-wide `unhandledRejection` listeners. Each connection adds one, and reports a stray
 * rejection, whoever caused it, in its own next result: one tenant would read another's error.
 */
function removeRejectionListeners(): void {
  for (const listener of process.listeners('unhandledRejection')) {
    if (String(listener).includes('_pendingUnhandledRejections')) process.off('unhandledRejection', listener);
  }
}

/**
 * What takes off the listener by which upstream's side learns that the context or its browser is gone. It takes no
 * listener off itself, so a browser that goes on would keep every connection that it has had.
 */
function lossListenerRemover(context: BrowserContext): () => void {
  // Playwright's objects are emitters of Node's kind, which their types do not show in full.
  const browser = context.browser() as unknown as EventEmitter | null;
  const emitter = context as unknown as EventEmitter;
  const ofContext = new Set(emitter.listeners('close'));
  const shared = browser?.listeners('disconnected').filter((listener) => ofContext.has(listener)) ?? [];
  return () => {
    for (const listener of shared) {
      browser?.off('disconnected', listener as () => void);
      emitter.off('close', listener as () => void);
    }
  };
}

/** Milliseconds to take back what the tools have going in a context that stays. A page that hangs would take for ever. */
const FAREWELL_MS = 3_000;

/**
 * Connects upstream's tools to a browser context. Disposing ends the connection, and what the tools have set going, and
 * leaves the context alone.
 *
 * After the context is closed the connection is of no more use: make a new one.
 */
export async function connectEmbeddedTools(
  context: BrowserContext,
  options: EmbeddedToolsOptions,
  clock: Clock,
): Promise<ToolConnection> {
  const root = options.root ?? process.cwd();
  const { client, close } = await connect(upstreamConfig(options), root, async () => context);
  const callTool = async (name: string, args: ToolArguments, signal?: AbortSignal) =>
    await client.request(
      { method: 'tools/call', params: { name, arguments: { ...args } } },
      { timeout: NO_TIMEOUT_MS, ...(signal ? { signal } : {}) },
    );
  // Upstream builds its side at the first call, and with it the listener. A name that no tool has does just that.
  await callTool('pwpool_connect', {});
  removeRejectionListeners();
  const removeLossListener = lossListenerRemover(context);
  const { outputDir, filePaths } = options;
  const relativeTo = filePaths === 'absolute' ? undefined : root;
  const recordings = new Recordings(callTool, context, { outputDir, relativeTo });
  const dispose = async () => {
    removeLossListener();
    const farewell = async () => {
      await recordings.stop();
      // It closes nothing here, and it is the one way to wait until upstream has taken back what it did to the context.
      await callTool('browser_close', {});
    };
    const onTimeout = () =>
      new PwpoolError('CALL_TIMEOUT', 'The tools of the last holder did not end in time.');
    // Whatever comes of it, the connection is of no more use.
    if (!context.isClosed())
      await withDeadline({ clock, timeoutMs: FAREWELL_MS, onTimeout }, 'farewell', farewell).catch(() => {});
    await close();
  };
  return {
    callTool: (name, args, signal) => recordings.callTool(name, args, signal),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Upstream's core tools and those of the given groups, as it lists them itself. Needs no browser. */
export async function listEmbeddedTools(capabilities: readonly Capability[]): Promise<Tool[]> {
  const { client, close } = await connect(
    upstreamConfig({ capabilities, timeouts: { action: 0, navigation: 0, settle: 0 }, outputDir: '' }),
    process.cwd(),
    () => Promise.reject(new Error('Listing the tools takes no browser.')),
  );
  try {
    return (await client.request({ method: 'tools/list' })).tools;
  } finally {
    await close();
  }
}
