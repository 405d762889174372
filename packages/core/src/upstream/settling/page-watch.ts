import type { CDPSession, Page } from 'playwright';
import type { Clock } from '../../clock.js';
import { pause } from '../../waiting/pause.js';
import { type FrameCall, type FrameSigns, frameExpression } from './frame-signs.js';

/** The name of the world that the frames are watched from. No page can see it. */
const WORLD = 'pwpool-settling';

/** Looks at a page that goes on moving, before there are pauses between them. */
const LOOKS_AT_ONCE = 3;
const LOOK_AGAIN_MS = 30;

/** What upstream waits for to the end of its answer. Of other requests it waits for those that the action set going. */
const FETCHED_TYPES: ReadonlySet<string> = new Set([
  'Document',
  'Stylesheet',
  'Script',
  'XHR',
  'Fetch',
  'EventSource',
]);

/** A watch over one action. */
export interface ActionWatch {
  /**
   * Resolves with true when the page is at rest; with false when that cannot be known, or the signal aborts. Never rejects.
   */
  rest(signal: AbortSignal): Promise<boolean>;
}

/** Tells when a page in Chromium has come to rest, so that nothing it does shows in a later answer but not in this one. */
export class PageWatch {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #clock: Clock;
  /** The world to watch from of each frame that this session reaches. */
  readonly #frames = new Map<string, Promise<number> | undefined>();
  /** Requests under way: their types. */
  readonly #requests = new Map<string, { type: string; loader: string }>();
  /** Frames that are about to show another document. */
  readonly #leaving = new Set<string>();
  readonly #loading = new Set<string>();
  /** Origins whose storage is watched. */
  readonly #origins = new Set<string>();
  /** Since the watch began, something happened whose end does not show. */
  #unforeseeable = false;
  /** Requests from before the watch began that nobody waits for. */
  #ignored: ReadonlySet<string> = new Set();
  /** How many actions were watched; the last of them is. */
  #actions = 0;
  #onEvent = () => {};

  private constructor(page: Page, session: CDPSession, clock: Clock) {
    this.#page = page;
    this.#session = session;
    this.#clock = clock;
  }

  /** @throws as Playwright does where a page cannot be watched: another engine, a page that is gone */
  static async open(page: Page, clock: Clock): Promise<PageWatch> {
    const session = await page.context().newCDPSession(page);
    const watch = new PageWatch(page, session, clock);
    watch.#listen();
    const [{ frameTree }] = await Promise.all([
      session.send('Page.getFrameTree'),
      session.send('Page.enable'),
      session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }),
    ]);
    const add = ({ frame, childFrames = [] }: typeof frameTree) => {
      watch.#frames.set(frame.id, undefined);
      watch.#watchStorage(frame.securityOrigin);
      for (const child of childFrames) add(child);
    };
    add(frameTree);
    return watch;
  }

  /** What happens from now on is what the action set going. Over an action before, the watch is at an end. */
  async begin(): Promise<ActionWatch> {
    const action = ++this.#actions;
    await Promise.all([...this.#frames.keys()].map((frame) => this.#evaluate(frame, 'begin')));
    this.#unforeseeable = false;
    this.#leaving.clear();
    this.#ignored = new Set(
      [...this.#requests].filter(([, { type }]) => !FETCHED_TYPES.has(type)).map(([id]) => id),
    );
    return { rest: async (signal) => await this.#rest(action, signal).catch(() => false) };
  }

  async #rest(action: number, signal: AbortSignal): Promise<boolean> {
    for (let looks = 0; !signal.aborted; looks++) {
      while (this.#isLoading() && !signal.aborted) await this.#nextEvent(signal);
      if (looks >= LOOKS_AT_ONCE) await pause(this.#clock, LOOK_AGAIN_MS, signal);
      // The second look finds what goes by way of the browser, as `history.back()` does.
      const isQuiet =
        (await this.#isQuiet('drawn')) && (await this.#isQuiet('idle')) && (await this.#isQuiet('ended'));
      if (this.#actions !== action || this.#isUnknowable()) return false;
      if (isQuiet) return true;
    }
    return false;
  }

  /** @throws Error when a timer was set or a download asked for, so that nothing shows what is going to happen */
  async #isQuiet(call: FrameCall): Promise<boolean> {
    if (this.#isUnknowable()) return false;
    const signs = await this.#look(call);
    if (signs.some(({ awaits }) => awaits)) throw new Error('Something is due, and nobody can tell when.');
    return !this.#isLoading() && !signs.some(({ moves }) => moves);
  }

  /** Every frame that this session reaches runs in one thread: the main frame's rest is that of all. */
  async #look(call: FrameCall): Promise<FrameSigns[]> {
    const [main, ...others] = this.#frames.keys();
    if (main === undefined) throw new Error('The page has no frame.');
    const signs = await this.#evaluate(main, call);
    const callOfOthers = call === 'ended' ? call : 'signs';
    return [signs, ...(await Promise.all(others.map((frame) => this.#evaluate(frame, callOfOthers))))];
  }

  /** A worker computes where nobody looks; a frame of another process is not this session's. */
  #isUnknowable(): boolean {
    const { workers, frames } = { workers: this.#page.workers().length, frames: this.#page.frames().length };
    return this.#unforeseeable || workers > 0 || frames !== this.#frames.size;
  }

  #isLoading(): boolean {
    if (this.#leaving.size + this.#loading.size > 0) return true;
    for (const id of this.#requests.keys()) if (!this.#ignored.has(id)) return true;
    return false;
  }

  async #evaluate(frameId: string, call: FrameCall): Promise<FrameSigns> {
    let world = this.#frames.get(frameId);
    if (!world) {
      const created = this.#session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
      world = created.then(({ executionContextId }) => executionContextId);
      // Whoever asks hears of it.
      world.catch(() => {});
      this.#frames.set(frameId, world);
    }
    const { result, exceptionDetails } = await this.#session.send('Runtime.evaluate', {
      expression: frameExpression(call),
      contextId: await world,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value as FrameSigns;
  }

  /** What a page stores it stores step by step, and only the ends of the steps show. */
  #watchStorage(origin: string): void {
    if (this.#origins.has(origin) || !/^https?:/.test(origin)) return;
    this.#origins.add(origin);
    for (const track of ['Storage.trackIndexedDBForOrigin', 'Storage.trackCacheStorageForOrigin'] as const)
      this.#session.send(track, { origin }).catch(() => {});
  }

  async #nextEvent(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#onEvent = end;
      signal.addEventListener('abort', end);
    });
  }

  #listen(): void {
    const session = this.#session;
    const changed = () => this.#onEvent();
    const unforeseeable = () => {
      this.#unforeseeable = true;
      changed();
    };
    const ended = ({ requestId }: { requestId: string }) => {
      this.#requests.delete(requestId);
      changed();
    };
    const gone = ({ frameId }: { frameId: string }) => {
      this.#frames.delete(frameId);
      this.#leaving.delete(frameId);
      this.#loading.delete(frameId);
      changed();
    };
    const leaves = ({ frameId }: { frameId: string }) => {
      this.#leaving.add(frameId);
      changed();
    };
    session.on('Network.requestWillBeSent', ({ requestId, type = 'Other', loaderId }) => {
      this.#requests.set(requestId, { type, loader: loaderId });
      changed();
    });
    session.on('Network.loadingFinished', ended);
    session.on('Network.loadingFailed', ended);
    session.on('Network.webSocketCreated', unforeseeable);
    session.on('Network.webSocketFrameSent', unforeseeable);
    session.on('Network.webSocketFrameReceived', unforeseeable);
    session.on('Storage.indexedDBListUpdated', unforeseeable);
    session.on('Storage.indexedDBContentUpdated', unforeseeable);
    session.on('Storage.cacheStorageListUpdated', unforeseeable);
    session.on('Storage.cacheStorageContentUpdated', unforeseeable);
    session.on('Page.windowOpen', unforeseeable);
    this.#page.on('popup', unforeseeable);
    this.#page.on('download', unforeseeable);
    session.on('Page.frameAttached', ({ frameId }) => void this.#frames.set(frameId, undefined));
    session.on('Page.frameDetached', gone);
    session.on('Page.frameRequestedNavigation', leaves);
    session.on('Page.frameScheduledNavigation', leaves);
    session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
      this.#leaving.delete(frameId);
      changed();
    });
    session.on('Page.frameStartedLoading', ({ frameId }) => {
      this.#loading.add(frameId);
      changed();
    });
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      this.#loading.delete(frameId);
      this.#leaving.delete(frameId);
      changed();
    });
    session.on('Page.frameNavigated', ({ frame }) => {
      this.#frames.set(frame.id, undefined);
      this.#watchStorage(frame.securityOrigin);
      this.#leaving.delete(frame.id);
      // The requests of the document before are never told to have ended.
      if (frame.parentId === undefined) {
        for (const [id, { loader }] of this.#requests)
          if (loader !== frame.loaderId) this.#requests.delete(id);
      }
      changed();
    });
  }
}

/** The watches of pages, each opened for the first action on its page. */
export class PageWatches {
  readonly #clock: Clock;
  readonly #watches = new WeakMap<Page, Promise<PageWatch | undefined>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `undefined` for a page that cannot be watched: of another engine than Chromium, for one. */
  async of(page: Page): Promise<PageWatch | undefined> {
    let watch = this.#watches.get(page);
    if (!watch) {
      watch = PageWatch.open(page, this.#clock).catch(() => undefined);
      this.#watches.set(page, watch);
    }
    return await watch;
  }
}
