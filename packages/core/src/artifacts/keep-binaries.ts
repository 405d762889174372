import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { withLine, withText } from '../connection/answer-text.js';
import type { ToolResult } from '../connection/tool-connection.js';
import { reasonOf } from '../errors.js';
import type { SessionBrowser } from '../session/session.js';
import { namedFiles } from '../upstream/answers.js';
import { artifactLink } from './artifact-link.js';
import type { Artifact, ArtifactOwner, Artifacts } from './artifacts.js';
import { sizeText } from './sizes.js';

/** For whom an answer is, and how it may look. */
export interface Reader {
  /** Its id. */
  client: string;
  /** Whether it can open the files of this machine, so that a path is of use to it. */
  sharesDisk: boolean;
}

export interface AnswerOrigin {
  artifacts: Artifacts;
  reader: Reader;
  browser: Pick<SessionBrowser, 'pool' | 'ownFile'>;
  /** The tool that answered. */
  tool: string;
}

type Part = ToolResult['content'][number];
type ImagePart = Extract<Part, { type: 'image' }>;

/** Bytes of an image that stays in the answer for want of a place: more would be too much for clients. */
const MAX_UNSTORED_BYTES = 1024 * 1024;

/** An answer names few files; what names more is a page's text. */
const MAX_FILES = 20;

/** A file that a tool wrote, as the answer names it, and where it lies. */
interface WrittenFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Puts what clients cannot take well from an answer into the store, and links it there: images above the threshold in
 * place of themselves, and the files that tools wrote, such as PDFs, downloads and traces. What cannot be stored is told
 * in a line; the answer is the answer all the same [arch-artifact-01, arch-artifact-04].
 */
export async function keepBinaries(result: ToolResult, origin: AnswerOrigin): Promise<ToolResult> {
  const files = await writtenFiles(result, origin);
  const images = result.content.filter((part) => part.type === 'image');
  // An image in the answer has been written to a file, too, unless its caller asked for the file only.
  const ofImages = images.length > 0 ? files.filter(({ path }) => isImage(path)).slice(-images.length) : [];
  const content: Part[] = [];
  const links: Part[] = [];
  const lines: string[] = [];
  /** The addresses of files, by what the answer calls them. */
  const addresses = new Map<string, string>();
  for (const part of result.content) {
    const file = part.type === 'image' ? ofImages[images.indexOf(part)] : undefined;
    const stored =
      part.type === 'image' ? await storeImage(part, file, origin) : { content: [part], lines: [] };
    content.push(...stored.content);
    lines.push(...stored.lines);
    if (file && stored.artifact) addresses.set(file.name, stored.artifact.uri);
  }
  for (const { name, path } of files.filter((each) => !ofImages.includes(each))) {
    try {
      const artifact = await origin.artifacts.store(ownerOf(origin), basename(path), { file: path });
      links.push(artifactLink(artifact));
      addresses.set(name, artifact.uri);
    } catch (error) {
      lines.push(`No artifact of ${basename(path)}: ${reasonOf(error)}`);
    }
  }
  const answer = { ...result, content: [...content, ...links] };
  // A path of this machine says nothing to a client on another one.
  const named = origin.reader.sharesDisk ? answer : withAddresses(answer, addresses);
  return lines.reduce(withLine, named);
}

function withAddresses(answer: ToolResult, addresses: ReadonlyMap<string, string>): ToolResult {
  return withText(answer, (text) =>
    [...addresses].reduce((changed, [name, uri]) => changed.replaceAll(name, uri), text),
  );
}

async function writtenFiles(result: ToolResult, { browser }: AnswerOrigin): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
  for (const name of namedFiles(result).slice(0, MAX_FILES)) {
    const path = browser.ownFile(name);
    const found = path === undefined ? undefined : await lstat(path).catch(() => undefined);
    if (path !== undefined && found?.isFile()) files.push({ name, path });
  }
  return files;
}

async function storeImage(
  image: ImagePart,
  file: WrittenFile | undefined,
  origin: AnswerOrigin,
): Promise<{ content: Part[]; lines: string[]; artifact?: Artifact }> {
  const bytes = Buffer.from(image.data, 'base64');
  if (bytes.byteLength <= origin.artifacts.inlineImageBytes) return { content: [image], lines: [] };
  const size = sizeText(bytes.byteLength);
  const name = file ? basename(file.path) : `${origin.tool}.${image.mimeType.replace(/^image\//, '')}`;
  try {
    const artifact = await origin.artifacts.store(ownerOf(origin), name, bytes);
    // The answer has named the file already.
    const path = file ? ' or that file' : ` or the file ${artifact.path}`;
    const ways = `${artifact.uri}${origin.reader.sharesDisk ? path : ''}`;
    return {
      artifact,
      content: [artifactLink(artifact)],
      lines: [`The image (${size}) is not shown here: read ${ways}.`],
    };
  } catch (error) {
    const stays = bytes.byteLength <= MAX_UNSTORED_BYTES;
    return {
      content: stays ? [image] : [],
      lines: [`No artifact of the image (${size}): ${reasonOf(error)}`],
    };
  }
}

function ownerOf({ reader, browser }: AnswerOrigin): ArtifactOwner {
  return { client: reader.client, pool: browser.pool };
}

function isImage(path: string): boolean {
  return /\.(?:png|jpe?g|webp)$/i.test(path);
}
