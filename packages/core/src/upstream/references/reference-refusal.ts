import { PwpoolError } from '../../errors.js';
import type { FailureKind } from '../failure-code.js';

/**
 * Why a reference is refused: from before a navigation, from another session, or none that pwpool gave out (or so long
 * ago that nobody remembers).
 */
export type RefusalReason = 'outdated' | 'foreign' | 'unknown';

const HINT =
  'Take browser_snapshot in this session and use a reference from it, letters and all. A CSS selector or getByRole(...) works too.';

const MESSAGES: Record<RefusalReason, (ref: string) => string> = {
  outdated: (ref) =>
    `The reference '${ref}' is from before a navigation: the page that it belongs to is no longer shown.`,
  foreign: (ref) => `The reference '${ref}' is from another session, and its element is not on this page.`,
  unknown: (ref) => `'${ref}' is not a reference that pwpool gave out.`,
};

/** The error for an element reference that must not reach the browser: `ELEMENT_NOT_FOUND`. */
export function refuse(ref: string, reason: RefusalReason): PwpoolError {
  return new RefusedReference(ref, MESSAGES[reason](ref));
}

/** A refusal of which the page may tell more, such as what is in the element's place; `undefined` for any other error. */
export function refusalKind(error: unknown): FailureKind | undefined {
  return error instanceof RefusedReference ? { ...error.toJSON(), hint: HINT, look: 'missing' } : undefined;
}

class RefusedReference extends PwpoolError {
  constructor(ref: string, message: string) {
    super('ELEMENT_NOT_FOUND', message, { hint: HINT, details: { ref } });
  }
}

/** The error for a reference that is good, but in another tab than the current one: upstream looks in that one only. */
export function refuseElsewhere(ref: string, tab: number): PwpoolError {
  return new PwpoolError(
    'ELEMENT_NOT_FOUND',
    `The reference '${ref}' belongs to tab ${tab}, which is not the current tab.`,
    {
      hint: `Select that tab first: browser_tabs { "action": "select", "index": ${tab} }.`,
      details: { ref, tab },
    },
  );
}
