import type { BrowserContext, Page } from 'playwright';
import { type Clock, cancelled } from '../../clock.js';
import type { ToolArguments, ToolConnection, ToolResult } from '../../connection/tool-connection.js';
import { traitsOf } from '../tool-table.js';
import {
  type ChangedPage,
  changedPages,
  type DocumentMark,
  sameDocuments,
  stillShown,
} from './document-mark.js';
import { DocumentWatch } from './document-watch.js';
import { frameOf, kindOfTarget, mapTargets, stampError } from './element-reference.js';
import { refuse } from './reference-refusal.js';
import type { StampSource } from './stamp-source.js';
import { type ReferenceAnswer, readAnswer } from './stamped-answer.js';

export interface StampOptions {
  /** The context that the tools work on. */
  context: BrowserContext;
  stamps: StampSource;
  clock: Clock;
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
 * `kqbze12`. A call takes back only references with the stamp of the latest answer, and only while the documents that
 * answer told of are shown; others are refused before anything reaches the browser. Selectors and locators pass.
 * Of what `tools` answers nothing else changes. Disposing of it disposes of `tools`.
 *
 * Source: issue 3, "Cross-talk is impossible, not unlikely"; seed 003, "Cross-Session Element References?".
 * @throws PwpoolError (from `callTool`) `ELEMENT_NOT_FOUND` for a reference that is refused, `CANCELLED`
 */
export function stampTools(tools: ToolConnection, options: StampOptions): StampedConnection {
  return new StampedTools(tools, options);
}

/** The stamp given last. Without documents it was given to an answer that was out of date on arrival. */
interface Stamp {
  readonly text: string;
  readonly documents: DocumentMark | undefined;
  /** The frame part of the main frame's references, if it is known. */
  readonly mainFrame: string | undefined;
}

/** A call that upstream works on. */
interface Running {
  readonly name: string;
  readonly withReferences: boolean;
  readonly start: DocumentMark;
  /** Its caller has left. Upstream cannot be stopped. */
  abandoned: boolean;
  ended: Promise<unknown>;
}

class StampedTools implements StampedConnection {
  readonly #tools: ToolConnection;
  readonly #context: BrowserContext;
  readonly #stamps: StampSource;
  /** Stands for these tools at the source, which remembers it for longer than they last. */
  readonly #owner = {};
  readonly #watch: DocumentWatch;
  readonly #running = new Set<Running>();
  #started = 0;
  #stamp: Stamp | undefined;

  constructor(tools: ToolConnection, options: StampOptions) {
    this.#tools = tools;
    this.#context = options.context;
    this.#stamps = options.stamps;
    this.#watch = new DocumentWatch(options.context, options.clock);
  }

  get currentPage(): Page | undefined {
    return this.#watch.currentTab.page;
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    this.#strip(args);
    let running: Running | undefined;
    const work = async () => {
      const withReferences = this.#strip(args).passed.size > 0;
      await this.#ready(withReferences, signal);
      if (signal.aborted) throw cancelled(signal, name);
      // From here to upstream's choice of the page nothing is awaited, so that no page or tab changes in between.
      const { stripped, passed } = this.#strip(args);
      const started = this.#start(name, stripped, withReferences);
      running = started.running;
      const result = await started.result;
      if (result.isError) return this.#stampError(result, args, passed);
      const answer = running.abandoned ? undefined : await readAnswer(name, args, result);
      return answer ? await this.#give(answer, running, started.alone) : result;
    };
    return await new Promise((resolve, reject) => {
      const leave = () => {
        if (running) running.abandoned = true;
        reject(cancelled(signal, name));
      };
      signal.addEventListener('abort', leave, { once: true });
      work()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', leave));
      if (signal.aborted) leave();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.#tools[Symbol.asyncDispose]();
  }

  /** The arguments as upstream knows them, with the references that were in them. */
  #strip(args: ToolArguments): { stripped: ToolArguments; passed: Map<string, string> } {
    const passed = new Map<string, string>();
    const stripped = mapTargets(args, (target) => {
      const found = kindOfTarget(target);
      if (found.kind === 'other') return target;
      if (found.kind === 'bare') throw refuse(target, 'unknown');
      const owner = this.#stamps.ownerOf(found.stamp);
      if (found.stamp !== this.#stamp?.text) {
        throw refuse(target, owner === this.#owner ? 'outdated' : owner ? 'foreign' : 'unknown');
      }
      const { documents, mainFrame } = this.#stamp;
      if (!documents || !stillShown(documents, this.#watch.mark(), frameOf(found.bare) === mainFrame)) {
        throw refuse(target, 'outdated');
      }
      passed.set(found.bare, target);
      return found.bare;
    });
    return { stripped, passed };
  }

  /**
   * Waits until the references of no other call can meet those of the call to come: an action that still looks for its
   * element in a new document must not find another one in the first snapshot of it.
   */
  async #ready(withReferences: boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (withReferences || this.#running.size > 0) await this.#watch.settle();
      const now = this.#watch.mark();
      const other = [...this.#running].find(
        (call) =>
          (call.withReferences && !stillShown(call.start, now, false)) ||
          (withReferences && call.abandoned && traitsOf(call.name)?.snapshot),
      );
      if (!other && !(withReferences && this.#watch.unsettled)) return;
      await other?.ended;
    }
  }

  #start(name: string, args: ToolArguments, withReferences: boolean) {
    const changesTab = traitsOf(name)?.changesTab?.(args) ?? false;
    if (changesTab) this.#watch.tabChanged();
    const isolates = changesTab && args['isolatedContext'] !== undefined;
    const stopListening = isolates ? this.#watchIsolatedTabs() : () => {};
    const stopFollowing = changesTab ? this.#watch.currentTab.follow(args) : () => {};
    const alone = this.#running.size === 0;
    const count = ++this.#started;
    const start = this.#watch.mark();
    // Told of no abort: this must know when upstream has ended. Its caller may leave all the same.
    const result = this.#tools.callTool(name, args, new AbortController().signal).finally(() => {
      stopListening();
      stopFollowing();
      if (changesTab) this.#watch.tabChanged();
      this.#running.delete(running);
    });
    const running: Running = { name, withReferences, start, abandoned: false, ended: result.catch(() => {}) };
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
    await this.#watch.settle();
    const end = this.#watch.mark();
    const changed = changedPages(running.start, end);
    const current =
      (changed.length === 0 && running.start.tabs === end.tabs) ||
      (alone() && (await this.#tookFrom(changed, running.start.tabs !== end.tabs, answer.samples)));
    const documents =
      current && !this.#watch.unsettled && sameDocuments(end, this.#watch.mark()) ? end : undefined;
    const last = this.#stamp?.documents;
    const kept = documents && last && stillShown(last, documents, false) ? this.#stamp : undefined;
    const stamp = {
      text: kept?.text ?? this.#stamps.next(this.#owner),
      documents,
      mainFrame: answer.mainFrame ?? kept?.mainFrame,
    };
    const result = await answer.stampWith(stamp.text);
    if (!running.abandoned) this.#stamp = stamp;
    return result;
  }

  /**
   * Whether an answer tells of documents that are still shown, although some were replaced in the call.
   *
   * A document that is new in this call has no references but those of the call's one snapshot: if it has the
   * answer's, the answer is of it. If only child frames changed, the page whose frames have them all may be it.
   */
  async #tookFrom(
    changed: readonly ChangedPage[],
    tabs: boolean,
    samples: readonly string[],
  ): Promise<boolean> {
    const loaded = changed.filter(({ main }) => main);
    const pages = tabs || loaded.length > 0 ? loaded : changed;
    const found = await Promise.all(pages.map(({ page }) => this.#watch.resolves(page, samples)));
    return pages === changed ? found.every(Boolean) : found.some(Boolean);
  }

  #stampError(result: ToolResult, args: ToolArguments, passed: ReadonlyMap<string, string>): ToolResult {
    const content = result.content.map((part) =>
      part.type === 'text' ? { ...part, text: this.#explain(stampError(part.text, passed), args) } : part,
    );
    return { ...result, content };
  }

  /** Upstream's advice for a target like `[ref=e5]` and its example of a reference, with stamps. */
  #explain(text: string, args: ToolArguments): string {
    let explained = text.replace('(e.g. "e5")', `(e.g. "${this.#stamp?.text ?? 'kqbz'}e5")`);
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
