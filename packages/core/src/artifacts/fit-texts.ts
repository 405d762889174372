import type { ToolResult } from '../connection/tool-connection.js';
import { reasonOf } from '../errors.js';
import { artifactLink } from './artifact-link.js';
import type { Artifact, ArtifactOwner, Artifacts } from './artifacts.js';
import type { Reader } from './keep-binaries.js';
import { sizeText } from './sizes.js';
import { isContinuation } from './utf-8.js';

/** Bytes that are left for what else stands in an answer, such as the name of its session. */
const RESERVE_BYTES = 1024;

/** Bytes of the line behind the beginning of a text. */
const LINE_BYTES = 600;

export interface FitOptions {
  artifacts: Artifacts;
  reader: Reader;
  /** The pool that the texts come from. */
  pool: string;
  /** What the texts are called. */
  name: string;
  /** Bytes for all texts. */
  limit: number;
  /** Bytes that a text takes where it stands. Default: in UTF-8. */
  sizeOf?: (text: string) => number;
}

/** A text as it was, or the beginning of it and a link to all of it. */
export interface FittedText {
  text: string;
  links: ToolResult['content'];
}

/** The answer with its text within the limit: what is over is an artifact, with its beginning in the answer [arch-artifact-03]. */
export async function fitAnswer(result: ToolResult, options: FitOptions): Promise<ToolResult> {
  const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const fitted = await fitTexts(texts, { ...options, limit: options.limit - RESERVE_BYTES });
  const rest = [...fitted];
  const content = result.content.map((part) =>
    part.type === 'text' ? { ...part, text: rest.shift()?.text ?? part.text } : part,
  );
  return { ...result, content: [...content, ...fitted.flatMap(({ links }) => links)] };
}

/** The texts, those that are too long with their beginning only, so that all together are within the limit. */
export async function fitTexts(texts: readonly string[], options: FitOptions): Promise<FittedText[]> {
  const { sizeOf = Buffer.byteLength, limit } = options;
  const shares = sharesOf(
    texts.map((text) => sizeOf(text)),
    limit,
  );
  const fitted: FittedText[] = [];
  for (const [index, text] of texts.entries()) {
    const share = shares[index] ?? Infinity;
    fitted.push(sizeOf(text) <= share ? { text, links: [] } : await begin(text, share, sizeOf, options));
  }
  return fitted;
}

/** How much of a limit each may have: those that need less leave the rest to the others. */
function sharesOf(sizes: readonly number[], limit: number): number[] {
  const shares: number[] = [];
  let left = Math.max(0, limit);
  const smallestFirst = [...sizes.entries()].sort(([, a], [, b]) => a - b);
  for (const [place, [index, size]] of smallestFirst.entries()) {
    const share = Math.floor(left / (sizes.length - place));
    shares[index] = share;
    left -= Math.min(size, share);
  }
  return shares;
}

async function begin(
  text: string,
  share: number,
  sizeOf: (text: string) => number,
  { artifacts, reader, pool, name }: FitOptions,
): Promise<FittedText> {
  const bytes = Buffer.from(text);
  const room = share - LINE_BYTES;
  let shown = beginningOf(bytes, Math.floor((room * bytes.byteLength) / sizeOf(text)));
  // What is escaped need not be spread evenly.
  while (shown.length > 0 && sizeOf(shown) > room)
    shown = beginningOf(bytes, Math.floor(Buffer.byteLength(shown) * 0.9));
  const owner: ArtifactOwner = { client: reader.client, pool };
  const offset = Buffer.byteLength(shown);
  const cut = `Cut: ${sizeText(offset)} of ${sizeText(bytes.byteLength)} are shown.`;
  try {
    const artifact = await artifacts.store(owner, `${name}.txt`, bytes);
    const links = [artifactLink(artifact)];
    // One of many: there is room for no more than its address.
    if (room <= 0) return { text: `${sizeText(bytes.byteLength)}: read ${artifact.uri}`, links };
    return { text: `${closed(shown)}\n${cut} ${restOf(artifact, offset, reader)}`, links };
  } catch (error) {
    return { text: `${closed(shown)}\n${cut} The rest is lost: ${reasonOf(error)}`, links: [] };
  }
}

function restOf({ uri, path }: Artifact, offset: number, { sharesDisk }: Reader): string {
  const file = sharesDisk ? `, or the file ${path}` : '';
  return `The rest: read ${uri}?offset=${offset}&length=40000${file}.`;
}

/** As many whole lines as fit, or of a line that does not fit as many characters. */
function beginningOf(bytes: Buffer, limit: number): string {
  if (limit <= 0) return '';
  let end = Math.min(limit, bytes.byteLength);
  while (end > 0 && isContinuation(bytes[end])) end--;
  const line = bytes.lastIndexOf('\n', end);
  return bytes.toString('utf8', 0, line > end / 2 ? line : end);
}

/** With the block of code ended in which the text was cut. */
function closed(text: string): string {
  const fences = text.match(/^```/gm)?.length ?? 0;
  return fences % 2 === 1 ? `${text}\n\`\`\`` : text;
}
