import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Transport } from '@modelcontextprotocol/client';
import type { BrowserContext } from 'playwright';
import type { Clock } from '../clock.js';
import type { Capability } from '../config/capabilities.js';
import type { Tool, ToolArguments, ToolConnection, ToolResult } from '../connection/tool-connection.js';
import { unlessAborted } from '../waiting/abort.js';
import { within } from '../waiting/deadline.js';
import { Recordings } from './recordings.js';
import { settlingTools } from './settling/settling-tools.js';
import { type HandlingTool, withSnapshotInAnswer } from './snapshots/snapshot-in-answer.js';
import { checkingTargets } from './target-check.js';

/**
 * Upstream's tools and their server, in process. This is the only file that touches them: they are not part of
 * Playwright's public API, so its version is pinned and `embedded-tools.browser.test.ts` is the contract.
 */
interface UpstreamTools {
  createConnection(config: UpstreamConfig): Promise<{ connect(transport: Transport): Promise<void> }>;
  filteredTools(config: UpstreamConfig): readonly HandlingTool[];
  BrowserBackend: new (
    config: UpstreamConfig,
    context: BrowserContext,
    tools: readonly HandlingTool[],
  ) => UpstreamBackend;
}

/** How Playwright reads selectors, and locators that are written as code. */
interface UpstreamSelectors {
  /** Empty for what is neither. */
  locatorOrSelectorAsSelector(language: 'javascript', target: string, testIdAttribute: string): string;
}

/** Upstream's tools over one context: what its server calls for each request. */
interface UpstreamBackend {
  /** @param client.cwd what file names are resolved against */
  initialize(client: { cwd: string }): Promise<void>;
  callTool(name: string, args: ToolArguments): Promise<ToolResult>;
  /** Takes back what the tools did to the context. */
  dispose(): Promise<void>;
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

export interface EmbeddedToolsOptions extends Omit<UpstreamConfig, 'webmcp'> {
  /** The groups of tools to offer beside the core ones. */
  capabilities: readonly Capability[];
  /** Where screenshots without a name, snapshots and downloads go. */
  outputDir: string;
  /** What file names are resolved against. Default: the working directory. */
  root?: string | undefined;
  /** The answer of an action holds its snapshot, of whatever size, where upstream writes a file and links it. */
  snapshotsInAnswers?: boolean | undefined;
  /** Whether a pause of `timeouts.settle` after an action ends when the page is at rest. Default: fixed. */
  settle?: 'adaptive' | 'fixed' | undefined;
}

function upstream(): UpstreamTools {
  const require = createRequire(import.meta.url);
  return (require('playwright-core/lib/coreBundle') as { tools: UpstreamTools }).tools;
}

/** How Playwright finds the target of a call that is a selector or a locator; `undefined` for one that is neither. */
export function selectorOf(target: string, testIdAttribute = 'data-testid'): string | undefined {
  const require = createRequire(import.meta.url);
  const { iso } = require('playwright-core/lib/coreBundle') as { iso: UpstreamSelectors };
  return iso.locatorOrSelectorAsSelector('javascript', target, testIdAttribute) || undefined;
}

export function upstreamConfig(options: EmbeddedToolsOptions): UpstreamConfig {
  const { root: _, snapshotsInAnswers: __, settle: ___, capabilities, ...config } = options;
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
const END_MS = 3_000;

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
  const { outputDir, filePaths, root = process.cwd() } = options;
  const { BrowserBackend, filteredTools } = upstream();
  const config = upstreamConfig(options);
  const inAnswers = (options.snapshotsInAnswers ?? false) && config.snapshot?.mode !== 'none';
  // Of the call that begins: a tool begins before its call has waited for anything.
  let inAnswer = false;
  const { settle, timeouts } = options;
  const own = checkingTargets(filteredTools(config));
  const settled = settle === 'adaptive' ? settlingTools(own, timeouts.settle, clock) : own;
  const tools = settled.map((tool) => withSnapshotInAnswer(tool, () => inAnswer));
  const backend = new BrowserBackend(config, context, tools);
  await backend.initialize({ cwd: root });
  removeRejectionListeners();
  const removeLossListener = lossListenerRemover(context);
  const callTool = async (name: string, args: ToolArguments, signal?: AbortSignal) => {
    // The other forms of an answer are upstream's to the letter.
    inAnswer = inAnswers && args['_meta'] === undefined;
    const result = backend.callTool(name, args);
    return await (signal ? unlessAborted(signal, result, name) : result);
  };
  const relativeTo = filePaths === 'absolute' ? undefined : root;
  const recordings = new Recordings(callTool, context, { outputDir, relativeTo });
  const dispose = async () => {
    removeLossListener();
    // Whatever comes of it, the connection is of no more use.
    await within(clock, END_MS, async () => {
      if (!context.isClosed()) await recordings.stop();
      await backend.dispose();
    });
  };
  return {
    callTool: (name, args, signal) => recordings.callTool(name, args, signal),
    [Symbol.asyncDispose]: dispose,
  };
}

/**
 * Upstream's core tools and those of the given groups, as it lists them itself: what `TOOL_LIST` is made from and
 * compared with. Needs no browser.
 */
export async function listEmbeddedTools(capabilities: readonly Capability[]): Promise<Tool[]> {
  const { Client, InMemoryTransport } = await import('@modelcontextprotocol/client');
  const timeouts = { action: 0, navigation: 0, settle: 0 };
  const server = await upstream().createConnection(upstreamConfig({ capabilities, timeouts, outputDir: '' }));
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: 'pwpool', version: '0' });
  await client.connect(clientSide);
  try {
    return (await client.request({ method: 'tools/list' })).tools;
  } finally {
    await client.close();
  }
}
