import { PwpoolError } from '../../errors.js';

/**
 * Why a reference is refused: from before a navigation, from another session, or none that pwpool gave out (or so long
 * ago that nobody remembers).
 */
export type RefusalReason = 'outdated' | 'foreign' | 'unknown';

const MESSAGES: Record<RefusalReason, (ref: string) => string> = {
  outdated: (ref) =>
    `The reference '${ref}' is from before a navigation: the page that it belongs to is no longer shown.`,
  foreign: (ref) => `The reference '${ref}' is from another session, and its element is not on this page.`,
  unknown: (ref) => `'${ref}' is not a reference that pwpool gave out.`,
};

/** The error for an element reference that must not reach the browser: `ELEMENT_NOT_FOUND`. */
export function refuse(ref: string, reason: RefusalReason): PwpoolError {
  return new PwpoolError('ELEMENT_NOT_FOUND', MESSAGES[reason](ref), {
    hint: 'Take browser_snapshot in this session and use a reference from it, letters and all. A CSS selector or getByRole(...) works too.',
    details: { ref },
  });
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
