import type { Frame, Page } from 'playwright';

/** The documents of a moment, by how often each frame has changed its own, in the pages that may be the current tab. */
export interface DocumentMark {
  /** Grows when another page may have become the current tab: when one closes, or at `tabChanged`. */
  readonly tabs: number;
  readonly loads: ReadonlyMap<Page, ReadonlyMap<Frame, number>>;
}

export interface ChangedPage {
  readonly page: Page;
  /** The main document was replaced, not only one of a child frame. */
  readonly main: boolean;
}

/** The pages of which a document was replaced, or shown for the first time. */
export function changedPages(then: DocumentMark, now: DocumentMark): ChangedPage[] {
  return [...now.loads].flatMap(([page, loads]) => {
    const before = then.loads.get(page);
    const replaced = [...loads].filter(([frame, count]) => count !== (before?.get(frame) ?? 0));
    if (replaced.length === 0) return [];
    return [{ page, main: replaced.some(([frame]) => frame === page.mainFrame()) }];
  });
}

/** Whether every document of `then` is still shown, or gone for good, and the current tab is the same. */
export function stillShown(then: DocumentMark, now: DocumentMark, mainFramesOnly: boolean): boolean {
  if (then.tabs !== now.tabs) return false;
  for (const [page, loads] of then.loads) {
    for (const [frame, count] of loads) {
      if (mainFramesOnly && frame !== page.mainFrame()) continue;
      if ((now.loads.get(page)?.get(frame) ?? count) !== count) return false;
    }
  }
  return true;
}

export function sameDocuments(one: DocumentMark, other: DocumentMark): boolean {
  return stillShown(one, other, false) && stillShown(other, one, false);
}
