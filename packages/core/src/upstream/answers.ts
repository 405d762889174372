import { textOf } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';

/** Where the page was when a tool had answered. */
export interface AnsweredPage {
  url: string;
  title: string;
}

/** The call that lists the tabs: answered by every page there is, dialogs or not; opens a blank one where there is none. */
export const LIST_TABS = ['browser_tabs', { action: 'list' }] as const;

const ONE_BLANK_TAB = /^### Result\n- 0: \(current\) \[[^\]]*\]\(about:blank\)$/;

/** What Playwright says, in every version, of a call whose page is gone, be it by itself or with its browser. */
const CLOSED = /Target page, context or browser has been closed/;

/** What upstream's answer tells of the page in its section "Page"; `undefined` when it tells nothing of it. */
export function answeredPage(result: ToolResult): AnsweredPage | undefined {
  const text = textOf(result);
  const url = /^- Page URL: (.*)$/m.exec(text)?.[1];
  return url === undefined ? undefined : { url, title: /^- Page Title: (.*)$/m.exec(text)?.[1] ?? '' };
}

/** What went wrong, in upstream's words and without its heading. */
export function errorText(failed: ToolResult): string {
  return textOf(failed).replace(/^### Error\n(?:Error: )?/, '');
}

/** Whether a call failed because its page was closed, by itself or with its browser. */
export function failedByClosing(failed: ToolResult): boolean {
  return CLOSED.test(textOf(failed));
}

/** Whether there is but one tab, a blank one, as in a browser that was started for the question. Of an answer to `LIST_TABS`. */
export function hasOneBlankTab(tabs: ToolResult): boolean {
  return ONE_BLANK_TAB.test(textOf(tabs));
}
