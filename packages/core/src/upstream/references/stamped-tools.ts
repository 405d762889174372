import type { BrowserContext, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../../connection/tool-connection.js';
import { cancelled, unlessAborted } from '../../waiting/abort.js';
import { traitsOf } from '../tool-table.js';
import { type DocumentMark, loadedPages, sameDocuments, stillShown } from './document-mark.js';
import { DocumentWatch } from './document-watch.js';
import { frameOf, kindOfTarget, mapTargets, stampError } from './element-reference.js';
import { refuse, refuseElsewhere } from './reference-refusal.js';
import type { StampSource } from './stamp-source.js';
import { type ReferenceAnswer, readAnswer } from './stamped-answer.js';

export interface StampOptions {
  /** The context that the tools work on. */
  context: BrowserContext;
  stamps: StampSource;
  clock: Clock;
  /** The directory that the tools work in: a file that an answer names is relative to it. The process's own unless given. */
  root?: string | undefined;
}

/** Tools whose element references are stamped. */
export interface StampedConnection extends ToolConnection {
  /** The page that the tools work in; `undefined` when none is open. */
  readonly currentPage: Page | undefined;
}

/**
 * Makes every element reference that `tools` give out belong to this connection and to the documents it was taken of.
 *
 * References in answers, and in the snapshot files that answers link, get a stamp of four letters: `e12` becomes
 * `kqbze12`. A stamp belongs to the documents of one page. A call takes back only references whose documents are shown,
 * in the current tab; others are refused before anything reaches the browser. Selectors and locators pass.
 * Of what `tools` answers nothing else changes. Disposing of it disposes of `tools`.
 *
 * Source: [003-element-01], [arch-session-03].
 * @throws PwpoolError (from `callTool`) `ELEMENT_NOT_FOUND` for a reference that is refused, `CANCELLED`
 */
export function stampTools(tools: ToolConnection, options: StampOptions): StampedConnection {
  return new StampedTools(tools, options);
}

/** The latest stamp of a page. */
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
  readonly #latest = new WeakMap<Page, Stamp>();

  constructor(tools: ToolConnection, options: StampOptions) {
    this.#tools = tools;
    this.#context = options.context;
    this.#stamps = options.stamps;
    this.#root = options.root ?? process.cwd();
    this.#watch = new DocumentWatch(options.context, options.clock);
  }

  get currentPage(): Page | undefined {
    return this.#watch.currentTab.page;
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    this.#strip(args);
    return await unlessAborted(signal, this.#call(name, args, signal), name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.#tools[Symbol.asyncDispose]();
  }

  async #call(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    await this.#ready(args, signal);
    if (signal.aborted) throw cancelled(signal, name);
    // From here to upstream's choice of the page nothing is awaited, so that no page or tab changes in between.
    const { stripped, passed } = this.#strip(args);
    const { running, alone, ...started } = this.#start(name, stripped, passed.size > 0, signal);
    const result = await started.result;
    if (result.isError) return this.#stampError(result, args, passed);
    const answer = signal.aborted ? undefined : await readAnswer(name, args, result, this.#root);
    return answer ? await this.#give(answer, running, alone) : result;
  }

  /** The arguments as upstream knows them, with the references that were in them. */
  #strip(args: ToolArguments): { stripped: ToolArguments; passed: Map<string, string> } {
    const passed = new Map<string, string>();
    const stripped = mapTargets(args, (target) => {
      const found = kindOfTarget(target);
      if (found.kind === 'other') return target;
      if (found.kind === 'bare') throw refuse(target, 'unknown');
      const page = this.#watch.pages.find((each) => this.#latest.get(each)?.text === found.stamp);
      const stamp = page && this.#latest.get(page);
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
      const blocking = [...this.#running].find(
        (call) =>
          (call.withReferences && this.#hasMovedOn(call)) ||
          (withReferences && (call.changesTab || (call.signal.aborted && traitsOf(call.name)?.snapshot))),
      );
      const unsettled = withReferences && currentTab.page && this.#watch.isUnsettled(currentTab.page);
      if (!blocking && !unsettled) return;
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
    const documents = page && this.#watch.mark(page);
    const last = page && this.#latest.get(page);
    const kept = documents && last && stillShown(last.documents, documents) ? last : undefined;
    const text = kept?.text ?? this.#stamps.next(this.#owner);
    const result = await answer.stampWith(text);
    if (page && documents && !running.signal.aborted) {
      this.#latest.set(page, { text, documents, mainFrame: answer.mainFrame ?? kept?.mainFrame });
    }
    return result;
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

  #stampError(result: ToolResult, args: ToolArguments, passed: ReadonlyMap<string, string>): ToolResult {
    const content = result.content.map((part) =>
      part.type === 'text' ? { ...part, text: this.#explain(stampError(part.text, passed), args) } : part,
    );
    return { ...result, content };
  }

  get #currentStamp(): string | undefined {
    const { currentPage } = this;
    return currentPage && this.#latest.get(currentPage)?.text;
  }

  /** Upstream's advice for a target like `[ref=e5]` and its example of a reference, with stamps. */
  #explain(text: string, args: ToolArguments): string {
    let explained = text.replace('(e.g. "e5")', `(e.g. "${this.#currentStamp ?? 'kqbz'}e5")`);
    mapTargets(args, (target) => {
      const reference = /\[ref=([a-z]{4}(?:f\d+)?e\d+)\]/.exec(target)?.[1];
      const quoted = `"${target}" does not match any elements.`;
      if (reference === undefined) return target;
      const advice = ` To use the element with [ref=${reference}] from the page snapshot, pass "${reference}" as the target.`;
      explained = explained.replace(quoted, () => quoted + advice);
      return target;
    });
    return explained;
  }
}
