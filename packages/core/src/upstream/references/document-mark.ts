import type { Frame, Page } from 'playwright';

/** The documents that a page showed at a moment, by how often each frame had changed its own. */
export type DocumentMark = ReadonlyMap<Frame, number>;

/** Whether every document of `then` is still shown, or gone for good. */
export function stillShown(then: DocumentMark, now: DocumentMark, only?: Frame): boolean {
  return [...then].every(
    ([frame, count]) => (only !== undefined && frame !== only) || (now.get(frame) ?? count) === count,
  );
}

export function sameDocuments(one: DocumentMark, other: DocumentMark): boolean {
  return stillShown(one, other) && stillShown(other, one);
}

/** The pages whose main document was replaced, or shown for the first time. */
export function loadedPages(
  then: ReadonlyMap<Page, DocumentMark>,
  now: ReadonlyMap<Page, DocumentMark>,
): Page[] {
  return [...now.keys()].filter((page) => {
    const frame = page.mainFrame();
    return (now.get(page)?.get(frame) ?? 0) !== (then.get(page)?.get(frame) ?? 0);
  });
}
