import { textOf } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';

/** Where the page was when a tool had answered. */
export interface AnsweredPage {
  url: string;
  title: string;
}

/** What upstream's answer tells of the page in its section "Page"; `undefined` when it tells nothing of it. */
export function answeredPage(result: ToolResult): AnsweredPage | undefined {
  const text = textOf(result);
  const url = /^- Page URL: (.*)$/m.exec(text)?.[1];
  return url === undefined ? undefined : { url, title: /^- Page Title: (.*)$/m.exec(text)?.[1] ?? '' };
}
