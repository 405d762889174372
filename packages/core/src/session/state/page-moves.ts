import type { BrowserContext } from 'playwright';

/** Tells of every page of a context that opens, goes elsewhere or closes. @returns what ends that */
export function onPagesMoved(context: BrowserContext, tell: () => void): () => void {
  context.on('page', tell);
  context.on('framenavigated', tell);
  context.on('pageclose', tell);
  return () => {
    context.off('page', tell);
    context.off('framenavigated', tell);
    context.off('pageclose', tell);
  };
}
