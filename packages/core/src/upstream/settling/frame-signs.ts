/** What a frame shows of work that it has still to do. */
export interface FrameSigns {
  /** A timer was set since the watch began, or a link to a download clicked. When that is due nobody can tell. */
  readonly awaits: boolean;
  /** The document changed since it was last asked, or asked for more frames or idle time, or has a transition running. */
  readonly moves: boolean;
}

/** What a frame is asked. */
export type FrameCall = keyof FrameWatch;

interface FrameWatch {
  begin(): void;
  signs(): FrameSigns;
  /** Answers after the page has drawn, twice if it has changed, and has had nothing to do. */
  drawn(): Promise<FrameSigns>;
  /** Answers after the page has had nothing to do. */
  idle(): Promise<FrameSigns>;
  /** The signs, and whether the page has asked for a frame or for idle time since it was last looked at. */
  ended(): FrameSigns;
}

/**
 * Runs in a world of its own in the frame, which shares the document and nothing that a script of the page can see.
 *
 * Timers, animation frames and idle callbacks are numbered for all worlds of a document together: that the numbers of
 * two calls of our own follow each other shows that the page made none in between, whatever it has put in place of
 * `setTimeout`.
 */
function watchFrame(): FrameWatch {
  const own = globalThis as { settling?: FrameWatch };
  if (own.settling) return own.settling;
  const nothing = () => {};
  const last = { timer: 0, frame: 0, idle: 0 };
  let awaits = false;
  let changed = true;
  let asksForIdle = false;
  /** For idle time, as the page does. */
  let waits = false;
  new MutationObserver(() => {
    changed = true;
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Behind an input Chromium has no idle moment before it has drawn twice, as behind a change.
  for (const input of ['mousedown', 'keydown', 'wheel']) {
    const onInput = () => {
      changed = true;
    };
    window.addEventListener(input, onInput, { capture: true, passive: true });
  }
  // What a browser downloads by itself shows nowhere in the page until it has begun.
  const isDownload = (target: EventTarget) =>
    target instanceof Element && target.matches('a[download], area[download]');
  window.addEventListener(
    'click',
    (event) => {
      awaits ||= event.composedPath().some(isDownload);
    },
    { capture: true, passive: true },
  );
  const isNext = (kind: keyof typeof last, id: number) => {
    const follows = id === last[kind] + 1;
    last[kind] = id;
    return follows;
  };
  const countTimers = () => {
    const id = window.setTimeout(nothing);
    clearTimeout(id);
    if (!isNext('timer', id)) awaits = true;
  };
  /** Whether the page has asked for a frame or for idle time since it was last looked at. */
  const countAsked = () => {
    const frame = requestAnimationFrame(nothing);
    cancelAnimationFrame(frame);
    const idle = requestIdleCallback(nothing);
    cancelIdleCallback(idle);
    const [frameFollows, idleFollows] = [isNext('frame', frame), isNext('idle', idle)];
    if (!idleFollows) asksForIdle = true;
    return !(frameFollows && idleFollows);
  };
  // What the page has asked for before has its turn before.
  const nextFrame = () =>
    new Promise<void>((resolve) => {
      last.frame = requestAnimationFrame(() => resolve());
    });
  // At times a page that rests gets no idle moment for seconds. Nothing is asked for inside of a moment: the next one then
  // comes 50 ms later.
  const nextIdle = () =>
    new Promise<void>((resolve) => {
      const onIdle = ({ didTimeout }: IdleDeadline) => {
        waits = didTimeout && asksForIdle;
        resolve();
      };
      if (!isNext('idle', requestIdleCallback(onIdle, { timeout: 100 }))) asksForIdle = true;
    });
  const isEnding = ({ playState, effect }: Animation) =>
    playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime);
  const signs = () => {
    countTimers();
    const moves = waits || changed || document.getAnimations().some(isEnding);
    waits = changed = false;
    return { awaits, moves };
  };
  own.settling = {
    begin() {
      countTimers();
      awaits = changed = waits = asksForIdle = false;
    },
    signs,
    async drawn() {
      const hasChanged = changed;
      changed = false;
      await nextFrame();
      if (hasChanged) await nextFrame();
      await nextIdle();
      return signs();
    },
    async idle() {
      await nextIdle();
      return signs();
    },
    ended() {
      const hasAsked = countAsked();
      const { awaits, moves } = signs();
      return { awaits, moves: moves || hasAsked };
    },
  };
  return own.settling;
}

/** What to evaluate in the world of a frame. */
export function frameExpression(call: FrameCall): string {
  return `(${watchFrame.toString()})().${call}()`;
}
