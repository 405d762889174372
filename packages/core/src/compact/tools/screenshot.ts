import * as z from 'zod';
import { compactTool } from '../compact-tool.js';
import { elementFailure } from '../element-failure.js';
import { findElement } from '../element-target.js';
import { REF } from './schemas.js';

/** [002-screenshot-01, 002-screenshot-02] */
export const screenshot = compactTool({
  name: 'browser_screenshot',
  description: 'Take a PNG screenshot of the viewport, the whole page or one element.',
  readOnly: true,
  input: z.strictObject({
    fullPage: z.boolean().default(false),
    selector: z.string().optional().describe('CSS selector'),
    ref: REF,
  }),
  fault: (given) =>
    [given.fullPage || undefined, given.selector, given.ref].filter((way) => way !== undefined).length > 1
      ? 'Pass one of fullPage, selector and ref.'
      : undefined,
  async run(browser, { fullPage, selector, ref }) {
    const { pages, actionTimeoutMs: timeout } = browser;
    const page = await pages.page();
    const ofElement = selector !== undefined || ref !== undefined;
    const shot = async () => {
      if (!ofElement) return await page.screenshot({ fullPage, scale: 'css', timeout: 0 });
      const element = await findElement(browser, page, { selector, ref }, timeout);
      return await element.screenshot({ scale: 'css', timeout });
    };
    try {
      const png = await shot();
      return { facts: { success: true, url: page.url() }, image: png.toString('base64') };
    } catch (error) {
      throw elementFailure(error);
    }
  },
});
