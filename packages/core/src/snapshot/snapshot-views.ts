import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { answeredPage } from '../upstream/answers.js';
import { kindOfTarget } from '../upstream/references/element-reference.js';
import { parseTree } from '../upstream/snapshots/parse-tree.js';
import { snapshotIn } from '../upstream/snapshots/snapshot-section.js';
import { traitsOf } from '../upstream/tool-table.js';
import { changesBetween } from './changes.js';
import { changesSection, fenced, pageSection } from './snapshot-answer.js';
import { type KeptSnapshot, type SnapshotCache, snapshotExpired } from './snapshot-cache.js';
import { pageOf } from './snapshot-page.js';
import { splitView, type View, type ViewRequest } from './view-arguments.js';

/** Of the bytes of an answer, those that a page may have. */
const SHARE_OF_PAGE = 0.8;

export interface ViewSettings {
  /** KiB of a snapshot that nobody asked for; 0 leaves it to upstream, which writes a file (`SNAPSHOT_INLINE_KB`). */
  readonly snapshotInlineKb: number;
  /** Whether an action answers what changed, where that is shorter (`SNAPSHOT_DIFF`). */
  readonly snapshotDiff: boolean;
}

export interface SnapshotHolder {
  /** Whose snapshots these are. */
  readonly id: string;
  /** Its calls reach one browser, whose page they leave only by themselves. */
  readonly hasPage: boolean;
  /** Nobody reads an answer before the next call: actions answer as the tools do. */
  readonly unattended?: boolean;
}

/** What one holder is shown of the pages it visits: pages of a snapshot, what a query finds in it, or what changed. */
export class SnapshotViews {
  readonly #cache: SnapshotCache;
  readonly #holder: SnapshotHolder;
  /** Bytes of a page that was asked for. */
  readonly #pageBytes: number;

  /** @param answerKb KiB that an answer may have (`ANSWER_MAX_KB`); `Infinity` for as many as it takes */
  constructor(cache: SnapshotCache, holder: SnapshotHolder, answerKb: number) {
    this.#cache = cache;
    this.#holder = holder;
    this.#pageBytes = answerKb * 1024 * SHARE_OF_PAGE;
  }

  /**
   * Runs a tool, with the snapshot in its answer as the call wants to see it. A call with a `cache_key` is answered
   * without the tool; a snapshot that the answer only links is read.
   * @param run runs upstream's tools
   * @throws PwpoolError `INVALID_ARGUMENTS`, `SNAPSHOT_EXPIRED`, else what `run` throws
   */
  async run(tool: string, all: ToolArguments, settings: ViewSettings, run: RunTool): Promise<ToolResult> {
    const { view, args } = splitView(tool, all);
    if (view.cacheKey !== undefined) return this.#pageOn(view.cacheKey, tool, args, view);
    const result = await run(tool, args);
    const found = snapshotIn(tool, args, result);
    if (!found) return result;
    if (view.silent) {
      const stamp = stampIn(found.text ?? '');
      this.#cache.add(this.#holder.id, { ...UNSEEN, stamp, addresses: addressesIn(args, result) }, true);
      return found.replacedBy(undefined);
    }
    // Read from files, as upstream's are, or by nobody before the next call.
    const isLeft = settings.snapshotInlineKb === 0 || this.#holder.unattended;
    if (isLeft && !view.asked && !isWhole(tool)) return result;
    const text = found.text ?? (await readPage(run));
    if (text === undefined) return result;
    const size = isWhole(tool) || view.asked ? this.#pageBytes : settings.snapshotInlineKb * 1024;
    if (result.isError) return Buffer.byteLength(text) > size ? found.replacedBy(LARGE) : result;
    const addresses = addressesIn(args, result);
    return found.replacedBy(this.#show(text, { tool, args, view, size, addresses, settings }));
  }

  #pageOn(key: string, tool: string, args: ToolArguments, request: ViewRequest): ToolResult {
    const kept = this.#cache.use(this.#holder.id, key);
    const address = args['url'];
    if (typeof address === 'string' && !kept.addresses.includes(address))
      throw otherAddress(tool, address, kept);
    const latest = this.#holder.hasPage ? this.#cache.latest(this.#holder.id) : undefined;
    if (latest && !isOfSamePage(latest, kept))
      throw snapshotExpired(key, 'is of a page that is no longer shown');
    const { offset } = request;
    const view = viewOf(request, kept.view);
    const page = pageOf(kept.text, view, { offset, size: this.#pageBytes });
    if (offset > 0 && offset >= page.total) throw beyondEnd(tool, offset, page.total);
    const text = `### Snapshot\n${pageSection(page, { key, offset, format: view.format })}`;
    return { content: [{ type: 'text', text }] };
  }

  /** What stands under the heading of the snapshot. */
  #show(text: string, { tool, args, view: request, size, addresses, settings }: ShownCall): string {
    const { id } = this.#holder;
    const ofPage = !isWhole(tool) || (args['target'] === undefined && args['depth'] === undefined);
    const stamp = stampIn(text);
    const before = ofPage ? this.#cache.latest(id) : undefined;
    const view = viewOf(request, DEFAULT_VIEW);
    const kept = this.#cache.add(id, { text, addresses, stamp, view }, ofPage);
    const isSame = stamp !== undefined && before?.stamp === stamp && before.text !== '';
    const bytes = Buffer.byteLength(text);
    const isAction = !isWhole(tool) && !request.asked;
    if (isSame && (request.diff || (isAction && settings.snapshotDiff))) {
      const changes = changesBetween(before.text, text);
      const room = request.diff ? size : Math.min(bytes, size);
      if (changes !== undefined && Buffer.byteLength(changes) < room) return changesSection(changes);
    }
    const compared = request.diff ? `${isSame ? TOO_DIFFERENT : NOTHING_BEFORE}\n` : '';
    if (bytes <= size && (!request.asked || request.diff)) return compared + fenced(text, 'yaml');
    this.#cache.tell(kept.key);
    const { offset } = request;
    const page = pageOf(text, view, { offset, size });
    return compared + pageSection(page, { key: kept.key, offset, format: view.format });
  }
}

type RunTool = (tool: string, args: ToolArguments) => Promise<ToolResult>;

interface ShownCall {
  tool: string;
  args: ToolArguments;
  view: ViewRequest;
  /** Bytes that it may take. */
  size: number;
  addresses: readonly string[];
  settings: ViewSettings;
}

/** Whether a tool is there to show the page. */
function isWhole(tool: string): boolean {
  return traitsOf(tool)?.snapshot === 'whole';
}

/** The page that upstream wrote to a file: a client may be on another machine. */
async function readPage(run: RunTool): Promise<string | undefined> {
  const [tool, args] = ['browser_snapshot', {}] as const;
  return snapshotIn(tool, args, await run(tool, args))?.text;
}

const DEFAULT_VIEW: View = { flatten: false, query: undefined, format: 'yaml', limit: undefined };

/** Of a page that its holder did not want to see: nothing to compare with. */
const UNSEEN = { text: '', view: DEFAULT_VIEW };

const NOTHING_BEFORE = '- There is no snapshot of this page to compare with: this is the page.';
const TOO_DIFFERENT = '- More changed than stayed: this is the page.';
const LARGE = '- browser_snapshot shows the page.';

function viewOf(request: Partial<View>, otherwise: View): View {
  const { flatten = otherwise.flatten, query = otherwise.query } = request;
  const { format = otherwise.format, limit = otherwise.limit } = request;
  return { flatten, query, format, limit };
}

/** As far as it is known: references of other drivers bear no stamp. */
function isOfSamePage(one: KeptSnapshot, other: KeptSnapshot): boolean {
  if (one.stamp !== undefined || other.stamp !== undefined) return one.stamp === other.stamp;
  return one.addresses.at(-1) === other.addresses.at(-1);
}

function addressesIn(args: ToolArguments, result: ToolResult): string[] {
  return [args['url'], answeredPage(result)?.url].filter((each) => typeof each === 'string');
}

/** What the references in a snapshot begin with, which says which documents it is of. */
function stampIn(snapshot: string): string | undefined {
  const [top] = parseTree(snapshot.slice(0, snapshot.indexOf('\n') + 1 || undefined).trimEnd());
  const reference = kindOfTarget(String(top?.node.attributes['ref']));
  return reference.kind === 'stamped' ? reference.stamp : undefined;
}

function otherAddress(tool: string, address: string, { key, addresses }: KeptSnapshot): PwpoolError {
  const hint = `Leave cache_key out to open ${address}, or page on by browser_snapshot.`;
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `The snapshot '${key}' is of ${addresses.at(-1) ?? 'another page'}, not of the url given to ${tool}.`,
    {
      hint,
      details: { cache_key: key, url: address },
    },
  );
}

function beyondEnd(tool: string, offset: number, total: number): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `Offset ${offset} of ${tool} is beyond the last of ${total} items.`,
    {
      hint: `Use an offset from 0 to ${Math.max(0, total - 1)}.`,
      details: { offset, total_items: total },
    },
  );
}
