import leven from 'leven';

/** The candidate that was most likely meant by a misspelt word, or undefined if none is near. Case does not count. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
): { name: string; distance: number } | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = leven(plain(word), plain(name));
    if (distance < (best?.distance ?? tolerance(word) + 1)) best = { name, distance };
  }
  return best;
}

/** "HEADLESS" in place of "headless", or "lease_timeout" in place of "leaseTimeout", is no misspelling. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll('_', '');
}

function tolerance(word: string): number {
  return word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
}
