import { textOf } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';

/** Where the page was when a tool had answered. */
export interface AnsweredPage {
  url: string;
  title: string;
}

/**
 * The call that lists the tabs: answered by every page there is, dialogs or not; opens a blank one where there is none.
 */
export const LIST_TABS = ['browser_tabs', { action: 'list' }] as const;

const ONE_BLANK_TAB = /^### Result\n- 0: \(current\) \[[^\]]*\]\(about:blank\)$/;

/** What Playwright says, in every version, of a call whose page is gone, be it by itself or with its browser. */
const CLOSED = /Target page, context or browser has been closed/;

/**
 * What an answer tells of the page: upstream's in its section "Page", a structured one in its fields; `undefined` when it
 * tells nothing of it.
 */
export function answeredPage(result: ToolResult): AnsweredPage | undefined {
  const { url: address, title } = structuredFacts(result) ?? {};
  if (typeof address === 'string') return { url: address, title: typeof title === 'string' ? title : '' };
  const text = textOf(result);
  const url = /^- Page URL: (.*)$/m.exec(text)?.[1];
  return url === undefined ? undefined : { url, title: /^- Page Title: (.*)$/m.exec(text)?.[1] ?? '' };
}

/** What a tool answered, as data. */
export interface AnsweredFacts extends Partial<AnsweredPage> {
  /** Of its section "Result": what the text says in JSON, or the text. */
  result?: unknown;
  /** All of the answer's text. */
  text: string;
}

export function answeredFacts(answer: ToolResult): AnsweredFacts {
  const text = textOf(answer);
  const structured = structuredFacts(answer);
  if (structured) return { ...structured, text };
  const result = /^### Result\n([\s\S]*?)(?=\n### |$(?![\s\S]))/m.exec(text)?.[1];
  return { ...answeredPage(answer), ...(result === undefined ? {} : { result: parsed(result) }), text };
}

function structuredFacts({ structuredContent: facts }: ToolResult): Record<string, unknown> | undefined {
  return typeof facts === 'object' && facts !== null ? { ...facts } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * How upstream names the files that it wrote: as links in the section "Result", and downloads in "Events". A page may
 * write the like, a megabyte long: no part of it can be matched in two ways.
 */
const FILE_LINK = /^- (?:\[[^\]\n]*\]\((?<linked>.+)\)|Downloaded file .* to "(?<downloaded>[^"\n]+)"$)/gm;

/** The files that an answer names, as it names them. A page can make it name others: ask whose they are. */
export function namedFiles(answer: ToolResult): string[] {
  const found = [...textOf(answer).matchAll(FILE_LINK)].flatMap(
    ({ groups }) => groups?.['linked'] ?? groups?.['downloaded'] ?? [],
  );
  return [...new Set(found)];
}

/** What went wrong, in upstream's words and without its heading. */
export function errorText(failed: ToolResult): string {
  return textOf(failed).replace(/^### Error\n(?:Error: )?/, '');
}

/** Whether a call failed because its page was closed, by itself or with its browser. */
export function failedByClosing(failed: ToolResult): boolean {
  return CLOSED.test(textOf(failed));
}

/**
 * Whether there is but one tab, a blank one, as in a browser that was started for the question. Of an answer to
 * `LIST_TABS`.
 */
export function hasOneBlankTab(tabs: ToolResult): boolean {
  return ONE_BLANK_TAB.test(textOf(tabs));
}
