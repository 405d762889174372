import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ToolArguments, ToolResult } from '../../connection/tool-connection.js';
import { traitsOf } from '../tool-table.js';
import { frameOf, mapSnapshotNodes, mapSnapshotText } from './element-reference.js';

type Replace = (bare: string) => string;

/** An answer with element references in it. */
export interface ReferenceAnswer {
  /** One bare reference of each frame that has any. */
  readonly samples: readonly string[];
  /** The frame part of the main frame's references. Known of a snapshot of the whole page only: it starts with one. */
  readonly mainFrame: string | undefined;
  /** The snapshot's text, its references bare; empty for the JSON form. */
  readonly snapshot: string;
  /** The answer with every reference stamped, and the file that it links rewritten. */
  stampWith(stamp: string): Promise<ToolResult>;
}

/** Where references stand in an answer: read them by a `replace` that only looks. */
interface Place {
  map(replace: Replace): string;
  /** What holds the references, where that is text. */
  snapshot: string;
  /** The file, when the answer links one. */
  file?: { path: string; text: string };
}

/**
 * The references of a tool's answer, or `undefined` when it holds none. Tools that answer with no snapshot repeat what
 * pages say, line breaks and all, so what looks like one in their answers is none.
 *
 * @param root directory that linked files are relative to, where their paths are not absolute
 */
export async function readAnswer(
  tool: string,
  args: ToolArguments,
  result: ToolResult,
  root: string,
): Promise<ReferenceAnswer | undefined> {
  if (result.isError || !traitsOf(tool)?.snapshot) return undefined;
  const [first, ...others] = result.content;
  if (first?.type !== 'text') return undefined;
  const place = await findPlace(tool, args, first.text, root);
  const samples = new Map<string, string>();
  const look: Replace = (bare) => {
    const frame = frameOf(bare);
    if (!samples.has(frame)) samples.set(frame, bare);
    return bare;
  };
  if (place?.file) mapSnapshotText(place.file.text, look);
  else place?.map(look);
  if (!place || samples.size === 0) return undefined;
  const [mainFrame] = samples.keys();
  return {
    samples: [...samples.values()],
    mainFrame: isFound(tool) || args['target'] !== undefined ? undefined : mainFrame,
    snapshot: place.snapshot,
    async stampWith(stamp) {
      const replace: Replace = (bare) => stamp + bare;
      if (place.file) {
        await replaceFile(place.file.path, mapSnapshotText(place.file.text, replace));
        return result;
      }
      return { ...result, content: [{ ...first, text: place.map(replace) }, ...others] };
    },
  };
}

async function findPlace(
  tool: string,
  args: ToolArguments,
  text: string,
  root: string,
): Promise<Place | undefined> {
  const form = args['_meta'] as { json?: unknown; raw?: unknown } | undefined;
  if (form?.json) return await findInJson(tool, text, root);
  const [start, end] = form?.raw ? rawSection(tool, text) : section(tool, text);
  const body = text.slice(start, end);
  const link = /^- \[(?:Snapshot|Find results)\]\((.*)\)$/.exec(body.trim());
  if (link?.[1] !== undefined) return await findInFile(resolve(root, link[1]));
  const map = (replace: Replace) => text.slice(0, start) + mapSnapshotText(body, replace) + text.slice(end);
  return { map, snapshot: body };
}

function isFound(tool: string): boolean {
  return traitsOf(tool)?.snapshot === 'found';
}

/**
 * The section that holds the snapshot. Of several with its heading the last is upstream's own: a dialog's message,
 * which may say anything, stands before it.
 */
function section(tool: string, text: string): [number, number] {
  const find = isFound(tool);
  const heading = find ? '### Result\n' : '### Snapshot\n';
  const at = find ? 0 : text.lastIndexOf(`\n${heading}`) + 1;
  if (!text.startsWith(heading, at)) return [text.length, text.length];
  const start = at + heading.length;
  const end = text.indexOf('\n### ', start);
  return [start, end < 0 ? text.length : end];
}

/** `_meta: { raw: true }` leaves the headings out. */
function rawSection(tool: string, text: string): [number, number] {
  return [traitsOf(tool)?.snapshot !== 'beside' ? 0 : text.lastIndexOf('\n') + 1, text.length];
}

async function findInJson(tool: string, text: string, root: string): Promise<Place | undefined> {
  const payload = JSON.parse(text) as { snapshot?: unknown; result?: unknown };
  const { snapshot, result } = payload;
  if (isFound(tool) && typeof result === 'string') {
    const link = /^- \[Find results\]\((.*)\)$/.exec(result);
    if (link?.[1] !== undefined) return await findInFile(resolve(root, link[1]));
    return {
      map: (replace) => print({ ...payload, result: mapSnapshotText(result, replace) }),
      snapshot: result,
    };
  }
  if (Array.isArray(snapshot)) {
    return {
      map: (replace) => print({ ...payload, snapshot: mapSnapshotNodes(snapshot, replace) }),
      snapshot: '',
    };
  }
  const file = (snapshot as { file?: unknown } | undefined)?.file;
  return typeof file === 'string' ? await findInFile(resolve(root, file)) : undefined;
}

function print(payload: object): string {
  return JSON.stringify(payload, null, 2);
}

/** A file that cannot be read is left as it is: its references have no stamp and are refused. */
async function findInFile(path: string): Promise<Place | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return { map: () => text, snapshot: text, file: { path, text } };
  } catch {
    return undefined;
  }
}

/** Puts a new file in the place of the old one: whoever opens it sees all of one or all of the other. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch {
    // As for a file that cannot be read. The tool has done its work, and its answer is worth having.
    await rm(draft, { force: true });
  }
}
