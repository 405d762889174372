import type { BrowserContext, Locator, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { textOf, withLine } from '../../connection/answer-text.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../../connection/tool-connection.js';
import { cancelled, unlessAborted } from '../../waiting/abort.js';
import { within } from '../../waiting/deadline.js';
import { elementsIn, type SeenElement } from '../snapshots/snapshot-elements.js';
import { traitsOf } from '../tool-table.js';
import { type DocumentMark, loadedPages, sameDocuments, stillShown } from './document-mark.js';
import { DocumentWatch } from './document-watch.js';
import { bareOf, frameOf, kindOfTarget, mapSnapshotText, mapTargets } from './element-reference.js';
import { hadReference, NOTE_REFERENCES } from './former-references.js';
import { type GivenElement, GivenSnapshots } from './given-snapshots.js';
import { refuse, refuseElsewhere } from './reference-refusal.js';
import { isSameThing } from './same-thing.js';
import type { StampSource } from './stamp-source.js';
import { type ReferenceAnswer, readAnswer } from './stamped-answer.js';
import { lostReference, stampFailure } from './stamped-failure.js';

/** Milliseconds that a look at the page may take. */
const LOOK_MS = 1_500;

/** Of how many stamps of a page the references are taken back. */
const STAMPS_OF_A_PAGE = 16;

export interface StampOptions {
  /** The context that the tools work on. */
  context: BrowserContext;
  stamps: StampSource;
  clock: Clock;
  /**
   * The directory that the tools work in: a file that an answer names is relative to it. The process's own unless
   * given.
   */
  root?: string | undefined;
}

/** Tools whose element references are stamped. */
export interface StampedConnection extends ToolConnection {
  /** The page that the tools work in; `undefined` when none is open. */
  readonly currentPage: Page | undefined;
  /**
   * The elements that the current page shows now, or those of a part of it, with references that calls take: a look
   * beside any call, from which upstream's answers miss nothing. `undefined` when that cannot be had in a moment.
   */
  see(part?: Locator): Promise<SeenElement[] | undefined>;
  /** What an element was when its reference was given out; `undefined` when that is long ago. */
  given(reference: string): GivenElement | undefined;
  /**
   * What the element of a reference is now, where the page still shows it, by whatever name. Costs a look at the page.
   */
  now(reference: string): Promise<SeenElement | undefined>;
}

/**
 * Makes every element reference that `tools` give out belong to this connection and to the documents it was taken of.
 *
 * References in answers, and in the snapshot files that answers link, get a stamp of four letters: `e12` becomes
 * `kqbze12`. A stamp belongs to the documents of one page. A call takes back only references whose documents are shown,
 * in the current tab; others are refused before anything reaches the browser. Selectors and locators pass.
 *
 * As long as the document is shown, a reference is good for its element while that is the same thing (`isSameThing`),
 * whatever was asked of the page since: upstream itself forgets those that its last snapshot left out, and those of
 * elements that have another name now. Of what `tools` answers nothing else changes. Disposing of it disposes of
 * `tools`.
 *
 * Source: [003-element-01], [arch-session-03].
 * @throws PwpoolError (from `callTool`) `ELEMENT_NOT_FOUND` for a reference that is refused, `CANCELLED`
 */
export function stampTools(tools: ToolConnection, options: StampOptions): StampedConnection {
  return new StampedTools(tools, options);
}

/** A stamp of a page. */
interface Stamp {
  readonly text: string;
  readonly documents: DocumentMark;
  /** The frame part of the main frame's references, if it is known. */
  readonly mainFrame: string | undefined;
}

/** A call that upstream works on. */
interface Running {
  readonly name: string;
  readonly withReferences: boolean;
  readonly changesTab: boolean;
  /** The current tab when it began. */
  readonly page: Page | undefined;
  readonly turns: number;
  /** The documents of every page when it began. */
  readonly start: ReadonlyMap<Page, DocumentMark>;
  /** Aborts when its caller leaves. Upstream cannot be stopped. */
  readonly signal: AbortSignal;
  ended: Promise<unknown>;
}

class StampedTools implements StampedConnection {
  readonly #tools: ToolConnection;
  readonly #context: BrowserContext;
  readonly #stamps: StampSource;
  readonly #root: string;
  /** Stands for these tools at the source, which remembers it for longer than they last. */
  readonly #owner = {};
  readonly #watch: DocumentWatch;
  readonly #running = new Set<Running>();
  #started = 0;
  /** The latest first. */
  readonly #stampsOf = new WeakMap<Page, readonly Stamp[]>();
  readonly #given = new GivenSnapshots();
  readonly #clock: Clock;
  #seeing: Promise<unknown> | undefined;

  constructor(tools: ToolConnection, options: StampOptions) {
    this.#tools = tools;
    this.#context = options.context;
    this.#stamps = options.stamps;
    this.#root = options.root ?? process.cwd();
    this.#clock = options.clock;
    this.#watch = new DocumentWatch(options.context, options.clock);
  }

  get currentPage(): Page | undefined {
    return this.#watch.currentTab.page;
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    this.#strip(args);
    return await unlessAborted(signal, this.#call(name, args, signal), name);
  }

  async see(part?: Locator): Promise<SeenElement[] | undefined> {
    // The first snapshot of a new document must not be taken while a call still looks for its element.
    if (this.#running.size > 0) return undefined;
    const seeing = within(this.#clock, LOOK_MS, async (signal) => await this.#see(part, signal));
    this.#seeing = seeing;
    try {
      return await seeing;
    } finally {
      if (this.#seeing === seeing) this.#seeing = undefined;
    }
  }

  given(reference: string): GivenElement | undefined {
    return this.#given.find(reference);
  }

  async now(reference: string): Promise<SeenElement | undefined> {
    const had = hadReference(bareOf(reference));
    for (const frame of this.currentPage?.frames() ?? []) {
      const element = frame.locator(had);
      if (!(await this.#isOne(element))) continue;
      const [first] = (await this.see(element)) ?? [];
      // An element without a line of its own begins with one that is in it.
      const isIt = first && (await this.#isOne(element.and(frame.locator(hadReference(bareOf(first.ref))))));
      return isIt ? first : undefined;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.#tools[Symbol.asyncDispose]();
  }

  async #call(name: string, args: ToolArguments, signal: AbortSignal, revived = false): Promise<ToolResult> {
    await this.#ready(args, signal);
    if (signal.aborted) throw cancelled(signal, name);
    // From here to upstream's choice of the page nothing is awaited, so that no page or tab changes in between.
    const { stripped, passed } = this.#strip(args);
    const { running, alone, ...started } = this.#start(name, stripped, passed.size > 0, signal);
    const result = await started.result;
    if (result.isError) {
      const lost = revived ? undefined : lostReference(textOf(result));
      const reference = lost === undefined ? undefined : passed.get(lost);
      const now =
        reference !== undefined && nothingDone(args, reference, passed)
          ? await this.#revive(reference)
          : undefined;
      if (reference === undefined || now === undefined)
        return stampFailure(result, args, passed, this.#currentStamp);
      return await this.#callWith(name, args, signal, { reference, now });
    }
    const answer = signal.aborted ? undefined : await readAnswer(name, args, result, this.#root);
    return answer ? await this.#give(answer, running, alone) : result;
  }

  /** The same call once more, with the reference that an element has now. */
  async #callWith(
    name: string,
    args: ToolArguments,
    signal: AbortSignal,
    { reference, now }: { reference: string; now: string },
  ): Promise<ToolResult> {
    const given = mapTargets(args, (target) => (target === reference ? now : target));
    const result = await this.#call(name, given, signal, true);
    if (result.isError || bareOf(now) === bareOf(reference)) return result;
    return withLine(result, `The element '${reference}' has another name since: it is '${now}' now.`);
  }

  /** The arguments as upstream knows them, with the references that were in them. */
  #strip(args: ToolArguments): { stripped: ToolArguments; passed: Map<string, string> } {
    const passed = new Map<string, string>();
    const stripped = mapTargets(args, (target) => {
      const found = kindOfTarget(target);
      if (found.kind === 'other') return target;
      if (found.kind === 'bare') throw refuse(target, 'unknown');
      const page = this.#watch.pages.find((each) => this.#stamp(each, found.stamp));
      const stamp = page && this.#stamp(page, found.stamp);
      if (!page || !stamp) {
        const owner = this.#stamps.ownerOf(found.stamp);
        throw refuse(target, owner === this.#owner ? 'outdated' : owner ? 'foreign' : 'unknown');
      }
      const only = frameOf(found.bare) === stamp.mainFrame ? page.mainFrame() : undefined;
      if (!stillShown(stamp.documents, this.#watch.mark(page), only)) throw refuse(target, 'outdated');
      const { currentTab } = this.#watch;
      if (page !== currentTab.page) throw refuseElsewhere(target, currentTab.indexOf(page));
      passed.set(found.bare, target);
      return found.bare;
    });
    return { stripped, passed };
  }

  /**
   * Waits until the references of no other call can meet those of the call to come: an action that still looks for its
   * element in a new document must not find another one in the first snapshot of it.
   */
  async #ready(args: ToolArguments, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A page that goes on to other documents has made the references outdated.
      const withReferences = this.#strip(args).passed.size > 0;
      const { currentTab } = this.#watch;
      const others = [...this.#running].filter((call) => call.withReferences);
      const pages = new Set(others.map(({ page }) => page));
      if (withReferences) pages.add(currentTab.page);
      await this.#watch.settle([...pages].filter((page) => page !== undefined));
      const seeing = withReferences ? this.#seeing : undefined;
      const blocking = [...this.#running].find(
        (call) =>
          (call.withReferences && this.#hasMovedOn(call)) ||
          (withReferences && (call.changesTab || (call.signal.aborted && traitsOf(call.name)?.snapshot))),
      );
      const unsettled = withReferences && currentTab.page && this.#watch.isUnsettled(currentTab.page);
      if (!blocking && !unsettled && !seeing) return;
      await seeing;
      await blocking?.ended;
    }
  }

  /** Whether the page that a call looks for its elements in has other documents by now. */
  #hasMovedOn({ page, start }: Running): boolean {
    const then = page && start.get(page);
    return page !== undefined && then !== undefined && !stillShown(then, this.#watch.mark(page));
  }

  #start(name: string, args: ToolArguments, withReferences: boolean, signal: AbortSignal) {
    const { currentTab } = this.#watch;
    const changesTab = traitsOf(name)?.changesTab?.(args) ?? false;
    const { page, turns } = currentTab;
    const isolates = changesTab && args['isolatedContext'] !== undefined;
    const stopListening = isolates ? this.#watchIsolatedTabs() : () => {};
    const stopFollowing = changesTab ? currentTab.follow(args) : () => {};
    const alone = this.#running.size === 0;
    const count = ++this.#started;
    const start = this.#watch.marks();
    const end = (failed: boolean) => {
      stopListening();
      stopFollowing(failed);
      if (page && this.#watch.crashed.has(page)) currentTab.crashed();
      this.#running.delete(running);
    };
    // Told of no abort: this must know when upstream has ended. Its caller may leave all the same.
    const result = this.#tools.callTool(name, args, new AbortController().signal);
    const ended = result.then(
      ({ isError }) => end(isError ?? false),
      () => end(true),
    );
    const running: Running = {
      name,
      withReferences,
      changesTab,
      page,
      turns,
      start,
      signal,
      ended,
    };
    this.#running.add(running);
    return { running, result, alone: () => alone && this.#started === count };
  }

  /** `isolatedContext` makes upstream open a context of its own in the same browser; others open theirs there too. */
  #watchIsolatedTabs(): () => void {
    const browser = this.#context.browser();
    const onContext = (context: BrowserContext) => this.#watch.watch(context);
    browser?.on('context', onContext);
    return () => void browser?.off('context', onContext);
  }

  async #give(answer: ReferenceAnswer, running: Running, alone: () => boolean): Promise<ToolResult> {
    const page = await this.#pageOf(answer, running, alone);
    const stamp = this.#newStamp(page, answer.mainFrame);
    const result = await answer.stampWith(stamp.text);
    if (page && !running.signal.aborted) this.#keep(page, stamp, answer.snapshot);
    return result;
  }

  async #see(part: Locator | undefined, signal: AbortSignal): Promise<SeenElement[] | undefined> {
    const page = this.currentPage;
    if (!page) return undefined;
    await this.#watch.settle([page]);
    const before = this.#watch.mark(page);
    const bare = await (part ?? page).ariaSnapshot({ mode: 'ai', timeout: LOOK_MS, signal });
    await this.#watch.settle([page]);
    const isSame = !this.#watch.isUnsettled(page) && sameDocuments(before, this.#watch.mark(page));
    if (!isSame || page !== this.currentPage || signal.aborted) return undefined;
    const [first] = part ? [] : elementsIn(bare);
    const stamp = this.#newStamp(page, first && frameOf(first.ref));
    this.#keep(page, stamp, bare);
    return elementsIn(mapSnapshotText(bare, (ref) => stamp.text + ref));
  }

  /**
   * The reference of the same element in a new look at the page, where upstream's last snapshot does not have it under
   * the one that was given: it was left out, or has another name.
   */
  async #revive(reference: string): Promise<string | undefined> {
    const elements = await this.see();
    if (!elements) return undefined;
    if (elements.some(({ ref }) => bareOf(ref) === bareOf(reference))) return reference;
    const was = this.given(reference);
    const now = was && (await this.now(reference));
    if (!now || !isSameThing(was, now, elements)) return undefined;
    // The call is to find its other elements too, of which that look at one knows nothing.
    const all = await this.see();
    return all?.find(({ ref }) => bareOf(ref) === bareOf(now.ref))?.ref;
  }

  async #isOne(locator: Locator): Promise<boolean> {
    return (await within(this.#clock, LOOK_MS, () => locator.count())) === 1;
  }

  #stamp(page: Page, text: string): Stamp | undefined {
    return this.#stampsOf.get(page)?.find((stamp) => stamp.text === text);
  }

  /** The stamp for references of a page as it is now: the last one, as long as its documents are shown. */
  #newStamp(page: Page | undefined, mainFrame: string | undefined): Stamp {
    const documents = page ? this.#watch.mark(page) : new Map();
    const last = page && this.#stampsOf.get(page)?.[0];
    const kept = last && stillShown(last.documents, documents) ? last : undefined;
    const sameMain = last && stillShown(last.documents, documents, page.mainFrame()) ? last : undefined;
    return {
      text: kept?.text ?? this.#stamps.next(this.#owner),
      documents,
      mainFrame: mainFrame ?? sameMain?.mainFrame,
    };
  }

  #keep(page: Page, stamp: Stamp, snapshot: string): void {
    this.#given.keep(stamp.text, snapshot);
    const others = this.#stampsOf.get(page)?.filter(({ text }) => text !== stamp.text) ?? [];
    this.#stampsOf.set(page, [stamp, ...others].slice(0, STAMPS_OF_A_PAGE));
    // Behind the answer: the page has them for as long as it shows these elements.
    for (const frame of page.frames())
      void within(this.#clock, LOOK_MS, () => frame.locator(NOTE_REFERENCES).count());
  }

  /**
   * The page that an answer's references are of, if it is certain, and still shows the documents that they are of.
   *
   * A document that is new in this call has no references but those of the call's one snapshot: if it has the
   * answer's, the answer is of it.
   */
  async #pageOf(
    { samples }: ReferenceAnswer,
    running: Running,
    alone: () => boolean,
  ): Promise<Page | undefined> {
    const watch = this.#watch;
    const { currentTab } = watch;
    const { page } = running;
    const sameTab = () =>
      currentTab.turns === running.turns && ![...this.#running].some(({ changesTab }) => changesTab);
    if (page && sameTab()) {
      await watch.settle([page]);
      const end = watch.mark(page);
      const isSame = sameDocuments(running.start.get(page) ?? new Map(), end);
      if (!isSame && !(alone() && (await watch.resolves(page, samples)))) return undefined;
      return sameTab() && !watch.isUnsettled(page) && sameDocuments(end, watch.mark(page)) ? page : undefined;
    }
    await watch.settle();
    const ends = watch.marks();
    for (const loaded of alone() ? loadedPages(running.start, ends) : []) {
      const found = await watch.resolves(loaded, samples);
      const isSame = sameDocuments(ends.get(loaded) ?? new Map(), watch.mark(loaded));
      if (!found || !isSame || watch.isUnsettled(loaded) || !alone()) continue;
      if (currentTab.page === undefined) currentTab.found(loaded);
      return loaded;
    }
    return undefined;
  }

  get #currentStamp(): string | undefined {
    const { currentPage } = this;
    return currentPage && this.#stampsOf.get(currentPage)?.[0]?.text;
  }
}

/** Whether a call that lost a reference had done nothing before: a form is filled field by field. */
function nothingDone(args: ToolArguments, lost: string, passed: ReadonlyMap<string, string>): boolean {
  const [first] = passed.values();
  return first === lost || !Array.isArray(args['fields']);
}
