import * as z from 'zod';
import { PwpoolError, reasonOf } from '../../errors.js';
import { cleanMessage } from '../../upstream/failure-message.js';
import { compactTool } from '../compact-tool.js';

/** Characters of a value in JSON; a longer one is answered as text, cut there. */
const MAX_VALUE = 30_000;

/** What Playwright says of code that is no expression, and of code that threw. */
const THROWN = /^(?:page|jsHandle)\.evaluate(?:Handle)?: (?!Target |Execution context |Protocol error)/;

/** [002-execute-01, 002-security-03] */
export const executeJs = compactTool({
  name: 'browser_execute_js',
  description: 'Run JavaScript in the page. Answers its value, awaited, as JSON.',
  input: z.strictObject({ code: z.string().describe('An expression, a function or an IIFE') }),
  output: z.object({ success: z.boolean() }),
  async run(browser, { code }, signal) {
    const page = await browser.pages.page();
    let value: unknown;
    const evaluate = async () => {
      await using handle = await page.evaluateHandle(code);
      value = await handle.evaluate((found: unknown) => (typeof found === 'function' ? found() : found));
    };
    try {
      await browser.settle(page, evaluate, signal);
    } catch (error) {
      throw thrown(error);
    }
    return { facts: { success: true, ...asJson(value) } };
  },
});

function thrown(error: unknown): unknown {
  if (!(error instanceof Error) || !THROWN.test(error.message)) return error;
  const message = cleanMessage(error.message, {});
  const hint = message.startsWith('SyntaxError')
    ? 'Pass one expression, or wrap statements: (() => { …; return value; })().'
    : 'Mend the code, or look at the page with browser_snapshot.';
  return new PwpoolError('EXECUTION_ERROR', message, { hint, cause: error });
}

/** @throws PwpoolError `EXECUTION_ERROR` for a value that has no form in JSON */
function asJson(value: unknown): { result: unknown; truncated?: true } {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
  } catch (error) {
    throw new PwpoolError('EXECUTION_ERROR', `The value has no form in JSON: ${reasonOf(error)}`, {
      hint: 'Return what you need of it: texts, numbers, lists, plain objects.',
    });
  }
  if (text === undefined) return { result: null };
  if (text.length <= MAX_VALUE) return { result: JSON.parse(text) };
  return { result: text.slice(0, MAX_VALUE), truncated: true };
}
