import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, selectors } from 'playwright';
import { systemClock } from '../../../src/clock.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../../../src/connection/tool-connection.js';
import { connectEmbeddedTools } from '../../../src/upstream/embedded-tools.js';
import { findFormerReferences } from '../../../src/upstream/references/former-references.js';
import { StampSource } from '../../../src/upstream/references/stamp-source.js';
import { type StampedConnection, stampTools } from '../../../src/upstream/references/stamped-tools.js';
import { launchChromium } from '../../driver/fixtures/browsers.js';

export const textOf = (result: ToolResult) =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** A page with one button that counts its clicks in its own label. */
export const buttonPage = (label: string, more = '') =>
  `<title>${label}</title><button onclick="this.dataset.clicked = 'yes'">${label}</button>${more}`;

/** Stamped tools over one context of a real browser. */
export interface StampedSession extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly tools: StampedConnection;
  /** The text of a tool's answer. */
  call(name: string, args?: ToolArguments, signal?: AbortSignal): Promise<string>;
  /** The reference of an element in a fresh snapshot, by what its line says. */
  reference(line: string): Promise<string>;
  /** Resolves when upstream works on no call, also on none that was given up. */
  idle(): Promise<void>;
  /** Something that happens after the next call, before its answer is back. */
  onAnswer: (() => Promise<unknown>) | undefined;
}

/** One browser, one server of pages, and as many stamped sessions as a test asks for. */
export class StampedFixture implements AsyncDisposable {
  readonly stamps = new StampSource();
  readonly #pages = new Map<
    string,
    string | ((request: IncomingMessage, response: ServerResponse) => void)
  >();
  readonly #server = createServer((request, response) => {
    const page = this.#pages.get(request.url ?? '');
    if (typeof page === 'function') return page(request, response);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page ?? '<title>none</title>');
  });
  readonly outputDir: string;
  readonly browser: Browser;

  private constructor(browser: Browser, outputDir: string) {
    this.browser = browser;
    this.outputDir = outputDir;
  }

  static async start(): Promise<StampedFixture> {
    findFormerReferences(selectors);
    const fixture = new StampedFixture(
      await launchChromium(),
      await mkdtemp(join(tmpdir(), 'pwpool-stamps-')),
    );
    await new Promise<void>((resolve) => fixture.#server.listen(0, '127.0.0.1', resolve));
    return fixture;
  }

  /** Serves a page, and gives its URL. */
  serve(
    path: string,
    page: string | ((request: IncomingMessage, response: ServerResponse) => void),
    host = '127.0.0.1',
  ): string {
    this.#pages.set(path, page);
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async plainTools(context: BrowserContext): Promise<ToolConnection> {
    const timeouts = { action: 5_000, navigation: 20_000, settle: 0 };
    return await connectEmbeddedTools(
      context,
      { capabilities: [], outputDir: this.outputDir, timeouts },
      systemClock,
    );
  }

  /** Stamped tools over a context, which is left open when it is given. */
  async session(given?: BrowserContext): Promise<StampedSession> {
    const context = given ?? (await this.browser.newContext());
    const plain = await this.plainTools(context);
    const running = new Set<Promise<unknown>>();
    const upstream: ToolConnection = {
      async callTool(name, args, signal) {
        const result = plain.callTool(name, args, signal);
        running.add(result);
        await result.finally(() => running.delete(result));
        await session.onAnswer?.();
        return await result;
      },
      [Symbol.asyncDispose]: () => plain[Symbol.asyncDispose](),
    };
    const tools = stampTools(upstream, { context, stamps: this.stamps, clock: systemClock });
    const call = async (name: string, args: ToolArguments = {}, signal = new AbortController().signal) =>
      textOf(await tools.callTool(name, args, signal));
    const session: StampedSession = {
      context,
      tools,
      call,
      onAnswer: undefined,
      idle: async () => void (await Promise.all(running)),
      reference: async (line) => referenceIn(await call('browser_snapshot'), line),
      async [Symbol.asyncDispose]() {
        await tools[Symbol.asyncDispose]();
        if (!given) await context.close();
      },
    };
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.outputDir, { recursive: true, force: true });
  }
}

/** The reference behind an element in a snapshot's text. */
export function referenceIn(snapshot: string, line: string): string {
  const found = snapshot
    .split('\n')
    .find((candidate) => candidate.includes(line))
    ?.match(/\[ref=(\w+)\]/)?.[1];
  if (found === undefined) throw new Error(`No reference behind ${line} in:\n${snapshot}`);
  return found;
}
