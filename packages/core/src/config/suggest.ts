/** The candidate that was most likely meant by a misspelt word, or undefined if none is near. Case does not count. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
): { name: string; distance: number } | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(plain(word), plain(name));
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

/** Levenshtein distance, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
