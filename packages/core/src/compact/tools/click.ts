import * as z from 'zod';
import { within } from '../../waiting/deadline.js';
import { compactTool } from '../compact-tool.js';
import { elementFailure } from '../element-failure.js';
import { describeElement, faultOf, findElement } from '../element-target.js';
import { ELEMENT, REF } from './schemas.js';

/** Milliseconds that a link in a new page has to open it, once it was clicked. */
const COMING_MS = 3_000;

/** Milliseconds that a page which was opened has to show its address. */
const OPEN_MS = 5_000;

/** [002-click-01, 002-click-02, 002-click-03] */
export const click = compactTool({
  name: 'browser_click',
  description:
    'Click an element. Target it by selector, text, role (with text: its name) or ref. Answers the element and where the page is then.',
  input: z.strictObject({
    selector: z.string().optional().describe('CSS selector'),
    text: z.string().optional().describe('Exact text content'),
    role: z.string().optional().describe('ARIA role'),
    ref: REF,
    timeout: z.number().min(1).default(5_000).describe('Milliseconds to wait for it'),
  }),
  output: z.object({ success: z.boolean(), element: ELEMENT, url: z.string() }),
  fault: faultOf,
  async run(browser, { timeout, ...target }, signal) {
    const { pages, clock } = browser;
    const page = await pages.page();
    const locator = await findElement(browser, page, target, timeout);
    const element = await describeElement(locator);
    const opens = await locator.evaluate((found) => found.closest('a[target="_blank"]') !== null);
    try {
      await browser.settle(page, () => locator.click({ timeout }), signal);
    } catch (error) {
      throw elementFailure(error);
    }
    // Its coming may be told after the page that it leaves is at rest.
    if (opens && pages.current === page)
      await within(clock, COMING_MS, () => page.context().waitForEvent('page'));
    const opened = pages.current;
    if (opened && opened !== page)
      await within(clock, OPEN_MS, () => opened.waitForLoadState('domcontentloaded'));
    return { facts: { success: true, element, url: opened?.url() ?? 'about:blank' } };
  },
});
