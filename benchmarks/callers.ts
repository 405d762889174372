import { launch } from './browser.js';
import { type McpServer, startPlaywrightMcp, startPwpool } from './mcp-server.js';

/** The addresses that the calls go to. */
export interface Site {
  /** A small page with a button that does nothing, at a number of addresses. */
  small(number: number): string;
  /** A page of 2,000 links. */
  links(number: number): string;
}

/** One agent with one page, however it drives it. Each function is one thing that it asks for. */
export interface Caller extends AsyncDisposable {
  readonly name: string;
  ping(): Promise<unknown>;
  evaluate(): Promise<unknown>;
  /** Clicks the button of the small page, which is open. */
  click(): Promise<unknown>;
  snapshot(): Promise<string>;
  navigate(url: string): Promise<unknown>;
  /** Goes there and has the content of the page. */
  visit(url: string): Promise<string>;
}

/** What the small page says: an answer with it in shows the page's content. */
export const SAID = 'Nothing happens';

/** Two calls for a visit: the answer of a navigation links a file on the server's disk. */
export async function playwrightMcp(folder: string): Promise<Caller> {
  const server = await startPlaywrightMcp(folder);
  return byTools('playwright-mcp', server, async (url) => {
    await server.call('browser_navigate', { url });
    return await server.call('browser_snapshot', {});
  });
}

/** One call for a visit: the page's content is in the answer. */
export async function pwpool(folder: string): Promise<Caller> {
  const server = await startPwpool(folder);
  return byTools('pwpool', server, async (url) => await server.call('browser_navigate', { url }));
}

function byTools(name: string, server: McpServer, visit: Caller['visit']): Caller {
  return {
    name,
    visit,
    ping: async () => await server.ping(),
    evaluate: async () => await server.call('browser_evaluate', { function: '() => 1' }),
    click: async () => await server.call('browser_click', { element: 'the button', target: 'button' }),
    snapshot: async () => await server.call('browser_snapshot', {}),
    navigate: async (url) => await server.call('browser_navigate', { url }),
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** A program of its own with Playwright: no server, no protocol between them. */
export async function rawPlaywright(): Promise<Caller> {
  const browser = await launch();
  const page = await browser.newPage();
  const snapshot = async () => await page.ariaSnapshot({ mode: 'ai' });
  return {
    name: 'raw Playwright',
    snapshot,
    ping: async () => {},
    evaluate: async () => await page.evaluate(() => 1),
    click: async () => await page.locator('button').click(),
    navigate: async (url) => await page.goto(url),
    async visit(url) {
      await page.goto(url);
      return await snapshot();
    },
    [Symbol.asyncDispose]: async () => await browser.close(),
  };
}
