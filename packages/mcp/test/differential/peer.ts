import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { BIN, environment, temporaryDirectory } from '../fixtures/stdio-server.js';
import { fillIn, type ScenarioCall } from './scenario.js';

/** Upstream as its users start it. */
export const UPSTREAM = join(
  dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json')),
  'cli.js',
);

/** The groups of tools that both servers offer beside the default ones. */
const CAPS = 'config,network,storage,devtools,testing,vision,pdf';

/** For both alike. No more than a call needs that is to fail by it, and more than any other does on a busy machine. Milliseconds. */
const TIMEOUTS = { settle: 100, action: 5000, navigation: 15_000 };

/** What a call answered: its text, with linked files read and images told by their size; links to resources left out. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** The code of pwpool's error. */
  readonly code?: string | undefined;
}

/** A server over stdio with a client that offers a root, which is not the server's working directory. */
export class Peer implements AsyncDisposable {
  readonly client: Client;
  readonly root: string;
  readonly #directory: { path: string } & AsyncDisposable;
  readonly #site: string;

  private constructor(client: Client, directory: { path: string } & AsyncDisposable, site: string) {
    this.client = client;
    this.#directory = directory;
    this.root = join(directory.path, 'root');
    this.#site = site;
  }

  /** @param flags as its users give them */
  static upstream(site: string, flags: readonly string[] = []): Promise<Peer> {
    const timeouts = Object.entries(TIMEOUTS).flatMap(([name, value]) => [
      `--timeout-${name}`,
      String(value),
    ]);
    // Chromium refuses to run as root in its sandbox, in which upstream starts it and pwpool does not.
    const browser = ['--headless', '--isolated', '--no-sandbox', '--executable-path', '/usr/bin/chromium'];
    return Peer.#start(site, [UPSTREAM, ...browser, '--caps', CAPS, ...timeouts, ...flags], {});
  }

  /** @param flags those of upstream */
  static pwpool(
    site: string,
    flags: readonly string[] = [],
    variables: Record<string, string> = {},
  ): Promise<Peer> {
    const timeouts = Object.entries(TIMEOUTS).map(([name, value]) => [
      `PW_MCP_PROXY_TIMEOUT_${name.toUpperCase()}`,
      String(value),
    ]);
    return Peer.#start(site, [BIN, ...flags], {
      ...Object.fromEntries(timeouts),
      PW_MCP_PROXY_CAPS: CAPS,
      // What is compared is the page that an answer shows, not how it differs from that of the answer before.
      PW_MCP_PROXY_SNAPSHOT_DIFF: 'false',
      // Upstream offers it by default.
      PW_MCP_PROXY_ALLOW_UNSAFE_CODE: 'true',
      ...variables,
    });
  }

  static async #start(site: string, args: string[], variables: Record<string, string>): Promise<Peer> {
    const directory = await temporaryDirectory();
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    const peer = new Peer(client, directory, site);
    const cwd = join(directory.path, 'cwd');
    await Promise.all([mkdir(peer.root), mkdir(cwd)]);
    await writeFile(join(peer.root, 'notes.txt'), 'notes');
    await writeFile(join(peer.root, 'more.txt'), 'more notes');
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ name: 'root', uri: pathToFileURL(peer.root).href }],
    }));
    const env = environment(directory.path, variables);
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd, stderr: 'ignore' }),
    );
    return peer;
  }

  get directory(): string {
    return this.#directory.path;
  }

  /** Somebody who makes the calls of one scenario; `sessionId` goes with each. */
  visitor(sessionId?: string): Visitor {
    let snapshot = '';
    let last = '';
    const once = async (name: string, args: Readonly<Record<string, unknown>>): Promise<Answer> => {
      const own = fillIn(args, { site: this.#site, root: this.root, snapshot });
      const target = sessionId === undefined ? {} : { sessionId };
      const answer = await this.#answer(
        (await this.client.callTool({ name, arguments: { ...own, ...target } })) as CallToolResult,
      );
      // What pwpool tells of a failure has references too, of some elements only.
      if (!answer.isError && answer.text.includes('[ref=')) snapshot = answer.text;
      return answer;
    };
    return {
      call: async ([name, args = {}, , timing]) => {
        let shown = last;
        let answer: Answer;
        let seen: boolean;
        do {
          seen = typeof timing !== 'object' || shown.includes(timing.until);
          answer = await once(name, args);
          shown += `\n${answer.text}`;
        } while (!seen);
        last = answer.text;
        if (timing === undefined) return answer;
        const awaited =
          timing === 'sets off' ? [] : shown.split('\n').filter((line) => line.includes(timing.until));
        return { ...answer, text: [withoutLateSections(answer.text), ...awaited.slice(0, 1)].join('\n') };
      },
    };
  }

  async #answer(result: CallToolResult): Promise<Answer> {
    const parts = await Promise.all(
      // A link to a resource says of a file once more what the text, which is compared, has named already.
      result.content
        .filter(({ type }) => type !== 'resource_link')
        .map(async (part) => {
          if (part.type === 'text') return await this.#withFiles(part.text);
          return part.type === 'image' ? describeFile(Buffer.from(part.data, 'base64')) : `(${part.type})`;
        }),
    );
    const error = (result.structuredContent as { error?: { code?: string } } | undefined)?.error;
    return { isError: result.isError === true, text: parts.join('\n'), code: error?.code };
  }

  /** The text with what linked files hold below each link, as a client with a file system reads it. */
  async #withFiles(text: string): Promise<string> {
    const lines = text.split('\n').map(async (line) => {
      const path = /\]\(([^()]+\.\w+)\)/.exec(line)?.[1];
      if (path === undefined) return line;
      const file = resolve(this.root, path);
      const found = await stat(file).catch(() => undefined);
      return `${line}\n${found?.isFile() ? describeFile(await readFile(file), file) : '(no such file)'}`;
    });
    return (await Promise.all(lines)).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.#directory[Symbol.asyncDispose]();
  }
}

export interface Visitor {
  call(call: ScenarioCall): Promise<Answer>;
}

/** The sections that show what has come by itself. */
const LATE_SECTIONS = /^### (?:Open tabs|Page|Modal state|Snapshot|Events)\n(?:(?!### ).*(?:\n|$))*/gm;

function withoutLateSections(text: string): string {
  return text.replace(LATE_SECTIONS, '').trimEnd();
}

/** Files whose text is part of what an answer says; of others only the kind counts. */
const TEXTS = /\.(yml|txt|json|ts|md)$/;

/** What a file is: its text, or the kind and size of an image or document. */
function describeFile(data: Buffer, path = ''): string {
  if (data.subarray(1, 4).toString('latin1') === 'PNG')
    return `(PNG of ${data.readUInt32BE(16)} by ${data.readUInt32BE(20)})`;
  if (data[0] === 0xff && data[1] === 0xd8) return '(JPEG)';
  if (data.subarray(8, 12).toString('latin1') === 'WEBP') return '(WebP)';
  const start = data.subarray(0, 4).toString('latin1');
  if (start === '%PDF') return '(PDF)';
  if (start === '\x1a\x45\xdf\xa3') return '(WebM)';
  if (start.startsWith('PK')) return '(ZIP)';
  return TEXTS.test(path) ? data.toString('utf8') : '(a file)';
}
