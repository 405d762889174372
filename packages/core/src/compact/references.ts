import type { Page } from 'playwright';
import { PwpoolError } from '../errors.js';
import { kindOfTarget } from '../upstream/references/element-reference.js';
import { processStamps } from '../upstream/references/stamp-source.js';

/** The element references that snapshots give out: good for the last snapshot of the page that is worked in. */
export class References {
  readonly #latest = new WeakMap<Page, string>();

  /** What stands in front of the references of a snapshot that was just taken. */
  stamp(page: Page): string {
    const stamp = processStamps.next(this);
    this.#latest.set(page, stamp);
    return stamp;
  }

  /**
   * Playwright's own reference.
   * @throws PwpoolError `ELEMENT_NOT_FOUND` for one of another snapshot, page or session [003-element-01]
   */
  resolve(page: Page, reference: string): string {
    const target = kindOfTarget(reference);
    if (target.kind === 'stamped' && target.stamp === this.#latest.get(page)) return target.bare;
    throw new PwpoolError(
      'ELEMENT_NOT_FOUND',
      `ref '${reference}' is not of the last browser_snapshot of this page.`,
      { hint: 'Take browser_snapshot and use a ref of that, or target by selector, text or role.' },
    );
  }
}
