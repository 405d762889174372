import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { resolveConfig } from '../../src/config/config-input.js';
import type { InstanceConfig } from '../../src/config/model.js';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import type { BrowserHandle } from '../../src/driver/browser-driver.js';

const SOON = { timeout: 20_000, interval: 20 };

interface Directories {
  output: string;
  temporary: string;
}

/**
 * A directory for the output of the test, and another one, `TMPDIR`, for whatever browsers leave. At the end of the test
 * nothing is left there, and no process that was started with it.
 */
export async function ownDirectories(): Promise<Directories> {
  const directories = await makeDirectories();
  onTestFinished(() => directories[Symbol.asyncDispose]());
  return directories;
}

/** The same for the browsers of a whole file, until they are disposed of. */
export async function makeDirectories(): Promise<Directories & AsyncDisposable> {
  const root = tmpdir();
  const output = await mkdtemp(join(root, 'pw-out-'));
  const temporary = await mkdtemp(join(root, 'pw-tmp-'));
  vi.stubEnv('TMPDIR', temporary);
  const dispose = async () => {
    vi.unstubAllEnvs();
    try {
      await vi.waitFor(() => expect(processesBelow(temporary)).toEqual([]), SOON);
      await vi.waitFor(async () => expect(await readdir(temporary)).toEqual([]), SOON);
    } finally {
      const options = { recursive: true, force: true, maxRetries: 5 };
      await Promise.all([rm(output, options), rm(temporary, options)]);
    }
  };
  return { output, temporary, [Symbol.asyncDispose]: dispose };
}

/** What runs with a temporary directory below that one. */
function processesBelow(temporary: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`\0TMPDIR=${temporary}/`);
    } catch {
      return false;
    }
  });
}

/** The instances of one isolated pool with these settings. */
export function instancesOf(settings: PoolInput & { instances: number }): readonly InstanceConfig[] {
  const pool = { isDefault: true, isolated: true, timeoutSettle: 0, ...settings };
  return resolveConfig({ pools: { WEB: pool } }).pools[0]?.instances ?? [];
}

export function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** The context of a browser that Playwright drives. */
export function contextOf(browser: BrowserHandle) {
  if (!browser.context) throw new Error('The browser has no context.');
  return browser.context;
}

export interface Site extends AsyncDisposable {
  origin: string;
  /** How many requests of `/never` wait for an answer. */
  unanswered(): number;
  /** Answers them after all. */
  answer(): void;
}

/**
 * A site on a port of its own. Every page is called after its path, tells its visitor's cookie and browser, and has a
 * button that renames it. `/login` sets a cookie for a day; `/never` does not answer.
 */
export async function startSite(): Promise<Site> {
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/never') {
      waiting.add(response);
      response.once('close', () => waiting.delete(response));
      return;
    }
    const cookie = request.url === '/login' ? { 'set-cookie': 'who=ada; Path=/; Max-Age=86400' } : {};
    response.writeHead(200, { 'content-type': 'text/html', ...cookie });
    response.end(`<!doctype html><title>${request.url}</title>
      <p>cookie: ${request.headers.cookie ?? 'none'}</p><p>browser: ${request.headers['user-agent']}</p>
      <button onclick="document.title = 'pressed'">Press</button>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unanswered: () => waiting.size,
    answer() {
      for (const response of waiting) response.end('At last.');
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
