import type { Page, Request } from 'playwright';
import type { Clock } from '../../clock.js';
import { within } from '../../waiting/deadline.js';
import { pause } from '../../waiting/pause.js';
import type { ActionWatch, PageWatch } from './page-watch.js';

/** How long upstream waits for what was requested: for a page to load, or for the requests to be answered. Milliseconds. */
const LOAD_MS = 10_000;
const ANSWERS_MS = 5_000;

/** Requests whose whole answer is waited for; of others, such as images, the first byte will do. */
const WHOLE_ANSWERS: ReadonlySet<string> = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch']);

/** How long the page may take to say where it stands before the action. A busier one is not watched. */
const BEGIN_MS = 100;

export interface CompletionOptions {
  /** What tells when the page is at rest; `undefined` where that cannot be known: each pause then is upstream's own. */
  open: () => Promise<PageWatch | undefined>;
  clock: Clock;
  /** How long upstream pauses after an action, and once more after the requests that followed. Milliseconds. */
  pauseMs: number;
}

/**
 * Runs an action and waits until what it set going is done, by upstream's rules (`waitForCompletion`), except that a
 * pause ends as soon as the page is at rest: no pause is longer than upstream's, and no answer has less in it.
 *
 * @param signal aborts when nobody waits any more: the action goes on, the waiting ends
 */
export async function complete(
  page: Page,
  action: () => Promise<void>,
  { open, clock, pauseMs }: CompletionOptions,
  signal: AbortSignal,
): Promise<void> {
  const watch = await within(clock, BEGIN_MS, async () => await (await open())?.begin());
  const requests: Request[] = [];
  const onRequest = (request: Request) => void requests.push(request);
  page.on('request', onRequest);
  try {
    await action();
    if (await restOrPause(watch, clock, pauseMs, signal)) return;
  } finally {
    page.off('request', onRequest);
  }
  if (signal.aborted) return;
  if (requests.some((request) => request.isNavigationRequest())) {
    const loaded = page.mainFrame().waitForLoadState('load', { timeout: LOAD_MS });
    await loaded.catch(() => {});
    return;
  }
  await within(clock, ANSWERS_MS, async () => await Promise.all(requests.map(answered)));
  if (requests.length > 0) await restOrPause(watch, clock, pauseMs, signal);
}

/** @returns whether the page is at rest, before the time is over */
async function restOrPause(
  watch: ActionWatch | undefined,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = new AbortController();
  const either = AbortSignal.any([signal, end.signal]);
  const paused = pause(clock, ms, either).then(() => false);
  const rested = watch?.rest(either).then((isAtRest) => isAtRest || paused);
  try {
    return await Promise.race([paused, rested ?? paused]);
  } finally {
    end.abort();
  }
}

async function answered(request: Request): Promise<void> {
  try {
    const response = await request.response();
    if (WHOLE_ANSWERS.has(request.resourceType())) await response?.finished();
  } catch {
    // It failed, or its page is gone.
  }
}
