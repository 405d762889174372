import type { ToolArguments, ToolResult } from '../../connection/tool-connection.js';
import { traitsOf } from '../tool-table.js';

const HEADING = '### Snapshot\n';

/** What stands under it: the snapshot, or a link to a file with it. */
const BODY = /^(?:```yaml\n(?:([\s\S]*?)\n)??```|- \[Snapshot\]\(.*\))(?=\n|$)/;

/** The snapshot in the answer of a tool. */
export interface AnsweredSnapshot {
  /** As Playwright prints it, all of it; `undefined` where the answer links a file in its stead. */
  readonly text: string | undefined;
  /** The answer with something else under the snapshot's heading, or without the heading. */
  replacedBy(section: string | undefined): ToolResult;
}

/** The snapshot that an answer of upstream's holds, or links; `undefined` if it does neither. */
export function snapshotIn(
  tool: string,
  args: ToolArguments,
  result: ToolResult,
): AnsweredSnapshot | undefined {
  const kind = traitsOf(tool)?.snapshot;
  // The other forms of an answer are upstream's to the letter, and a file was asked for.
  if (
    (kind !== 'beside' && kind !== 'whole') ||
    args['_meta'] !== undefined ||
    args['filename'] !== undefined
  )
    return undefined;
  const [first, ...others] = result.content;
  if (first?.type !== 'text') return undefined;
  // What a dialog says, which may be anything, stands before upstream's own section.
  const heading = first.text.lastIndexOf(`\n${HEADING}`) + 1;
  if (!first.text.startsWith(HEADING, heading)) return undefined;
  const start = heading + HEADING.length;
  const [whole, text] = BODY.exec(first.text.slice(start)) ?? [];
  if (whole === undefined) return undefined;
  const before = first.text.slice(0, heading);
  const behind = first.text.slice(start + whole.length);
  const replacedBy = (section: string | undefined) => {
    const changed = section === undefined ? before.trimEnd() : before + HEADING + section;
    return { ...result, content: [{ ...first, text: changed + behind }, ...others] };
  };
  return { text: whole.startsWith('-') ? undefined : (text ?? ''), replacedBy };
}
