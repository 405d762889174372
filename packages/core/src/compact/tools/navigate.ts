import type { Page, Response } from 'playwright';
import * as z from 'zod';
import { PwpoolError, reasonOf } from '../../errors.js';
import { compactTool } from '../compact-tool.js';
import { shortened } from '../shortened.js';

/** Navigations that are begun in place of one that was interrupted, it included. */
const MAX_TRIES = 3;

const WAIT_UNTIL = ['domcontentloaded', 'load', 'networkidle'] as const;
type WaitUntil = (typeof WAIT_UNTIL)[number];

/** [002-navigate-01, 002-navigate-02, 002-navigate-03] */
export const navigate = compactTool({
  name: 'browser_navigate',
  description: 'Open a URL. The browser starts by itself. Messages of browser_console_logs begin anew.',
  input: z.strictObject({
    url: z.string().describe("Such as 'http://localhost:3000'"),
    waitUntil: z.enum(WAIT_UNTIL).default('domcontentloaded'),
    timeout: z.number().min(1).max(60_000).default(30_000).describe('Milliseconds'),
  }),
  output: z.object({
    success: z.boolean(),
    url: z.string(),
    title: z.string(),
    status: z.number().nullable(),
    loadTimeMs: z.number(),
  }),
  fault: ({ url }) =>
    /^\s*(?:[a-z][a-z\d+.-]*:\/\/|about:|data:)/i.test(url) && URL.canParse(url.trim())
      ? undefined
      : `'${url}' is no whole URL: pass one such as http://localhost:3000.`,
  async run({ pages, log, clock }, { url, waitUntil }) {
    const address = openable(url);
    const page = await pages.page();
    log.clear();
    const begunAt = clock.now();
    const response = await open(page, address, waitUntil);
    const loadTimeMs = clock.now() - begunAt;
    // A page that has gone on meanwhile is asked once more.
    const title = await page.title().catch(() => page.title());
    return {
      facts: { success: true, url: page.url(), title, status: response?.status() ?? null, loadTimeMs },
    };
  },
});

/**
 * The error page of a navigation before, or a reload of the page that is left, may come in between; and then what was
 * begun first.
 */
async function open(page: Page, url: string, waitUntil: WaitUntil): Promise<Response | null> {
  const left = page.url();
  const isInterrupted = (error: unknown) => {
    const by = /interrupted by another navigation to "(.*)"/.exec(reasonOf(error))?.[1];
    return by !== undefined && (by.startsWith('chrome-error:') || by === left || by === new URL(url).href);
  };
  for (let count = 1; ; count++) {
    try {
      // The deadline of the call is the navigation's: it also stops the page, which Playwright's own does not.
      return await page.goto(url, { waitUntil, timeout: 0 });
    } catch (error) {
      if (count === MAX_TRIES || !isInterrupted(error)) throw error;
      // What was begun goes on, and would interrupt the next one in its turn.
      await page.waitForLoadState('domcontentloaded');
    }
  }
}

/** @throws PwpoolError `URL_BLOCKED` for what is no page of the web [002-security-02] */
function openable(url: string): string {
  const address = url.trim();
  const { protocol } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:' || address === 'about:blank') return address;
  throw new PwpoolError(
    'URL_BLOCKED',
    `${shortened(address, 100)} was not opened: ${protocol} is not allowed.`,
    {
      hint: 'Use an http:// or https:// address.',
    },
  );
}
