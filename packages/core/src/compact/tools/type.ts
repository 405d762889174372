import type { Locator } from 'playwright';
import * as z from 'zod';
import { PwpoolError } from '../../errors.js';
import { compactTool } from '../compact-tool.js';
import { elementFailure } from '../element-failure.js';
import { describeElement, faultOf, findElement } from '../element-target.js';
import { shortened } from '../shortened.js';
import { ELEMENT, REF } from './schemas.js';

/** Types of fields that take a value as a whole: keys mean other things to them than characters. */
const WHOLE_VALUES = /^(?:date|time|month|week|datetime-local|color|range)$/;

/** [002-type-01, 002-type-02] */
export const type = compactTool({
  name: 'browser_type',
  description: 'Type text into a field, character by character. Answers what the field then holds.',
  input: z.strictObject({
    selector: z.string().optional().describe('CSS selector; or pass ref'),
    ref: REF,
    text: z.string(),
    clearFirst: z.boolean().default(true),
    pressEnter: z.boolean().default(false),
  }),
  output: z.object({ success: z.boolean(), element: ELEMENT, url: z.string() }),
  fault: ({ selector, ref }) => faultOf({ selector, ref }),
  async run(browser, { selector, ref, text, clearFirst, pressEnter }, signal) {
    const { pages, actionTimeoutMs: timeout } = browser;
    const page = await pages.page();
    const field = await findElement(browser, page, { selector, ref, role: undefined }, timeout);
    const element = await describeElement(field);
    let value: string | undefined;
    try {
      const { type: kind } = await fieldOf(field);
      await browser.settle(
        page,
        async () => {
          if (WHOLE_VALUES.test(kind)) await field.fill(text, { timeout });
          else {
            await field.click({ timeout });
            if (clearFirst) await field.fill('', { timeout });
            await field.pressSequentially(text, { timeout: 0 });
          }
          const held = await fieldOf(field);
          if (WHOLE_VALUES.test(kind) && held.value === '' && text !== '') throw notTaken(kind, text);
          if (held.type !== 'password') value = held.value;
          if (pressEnter) await field.press('Enter', { timeout });
        },
        signal,
      );
    } catch (error) {
      throw elementFailure(error);
    }
    const url = pages.current?.url() ?? 'about:blank';
    return {
      facts: {
        success: true,
        element,
        ...(value === undefined ? {} : { value: shortened(value, 200) }),
        url,
      },
    };
  },
});

function notTaken(kind: string, text: string): PwpoolError {
  return new PwpoolError('EXECUTION_ERROR', `The field is of type ${kind} and did not take '${text}'.`, {
    hint: 'Pass a value in its form: 2026-11-22, 13:45, 2026-11, 2026-W47 or 2026-11-22T13:45.',
  });
}

async function fieldOf(locator: Locator): Promise<{ type: string; value: string }> {
  return await locator.evaluate((element) => {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
      return { type: element.type, value: element.value };
    return { type: '', value: element.textContent ?? '' };
  });
}
