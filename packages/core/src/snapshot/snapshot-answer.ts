import { textOf } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';
import type { SnapshotPage } from './snapshot-page.js';
import type { Json } from './tree-forms.js';

/** What a page of a snapshot is told with. */
export interface PageFacts {
  key: string;
  offset: number;
  format: 'yaml' | 'json';
}

/** A page under one line: what there is, and how to get the rest. */
export function pageSection(
  { text, count, total }: SnapshotPage,
  { key, offset, format }: PageFacts,
): string {
  const next = offset + count;
  const hasMore = next < total;
  const rest = hasMore
    ? `. Next page: browser_snapshot ${JSON.stringify({ cache_key: key, offset: next })}`
    : '';
  return `- total_items: ${total}, has_more: ${hasMore}, cache_key: ${key}${rest}\n${fenced(text, format)}`;
}

export function changesSection(changes: string): string {
  if (changes === '') return '- Nothing changed since the last snapshot.';
  return `- Changes since the last snapshot (browser_snapshot shows the page):\n${fenced(changes, 'diff')}`;
}

export function fenced(text: string, language: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** What an answer shows of the page, as data. */
export interface SnapshotFacts {
  total_items?: number;
  has_more?: boolean;
  cache_key?: string;
  /** As data where it is JSON, else the text. */
  snapshot?: Json;
}

const SECTION =
  /(?:^|\n)### Snapshot\n(?:- total_items: (\d+), has_more: (true|false), cache_key: (\w+).*\n)?(?:- .*\n)?```(yaml|json|diff)\n([\s\S]*?)\n?```(?=\n|$)/;

export function snapshotFacts(answer: ToolResult): SnapshotFacts {
  const text = textOf(answer);
  const start = text.lastIndexOf('### Snapshot\n');
  const found = start < 0 ? null : SECTION.exec(text.slice(start));
  if (!found) return {};
  const [, total, hasMore, key, format, shown = ''] = found;
  return {
    ...(key === undefined
      ? {}
      : { total_items: Number(total), has_more: hasMore === 'true', cache_key: key }),
    snapshot: format === 'json' ? parsed(shown) : shown,
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Cut where it was too long.
    return text;
  }
}
