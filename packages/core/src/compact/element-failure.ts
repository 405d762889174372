import { type ErrorCode, PwpoolError } from '../errors.js';
import { cleanMessage } from '../upstream/failure-message.js';

/** What held an action up, in Playwright's words; the first that fits counts. */
const OBSTACLES: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /element is not visible/,
    'ELEMENT_NOT_VISIBLE',
    'Open what hides it (a menu, a tab, a section), then try again. browser_snapshot shows what can be seen.',
  ],
  [
    /element is outside of the viewport/,
    'ELEMENT_NOT_VISIBLE',
    'Bring it into view with browser_execute_js (element.scrollIntoView()), then try again.',
  ],
  [
    /intercepts pointer events/,
    'ELEMENT_NOT_VISIBLE',
    'Something lies over it: close or answer that first (a banner, a dialog of the page), then try again.',
  ],
  [/element is not enabled/, 'EXECUTION_ERROR', 'It is disabled: do first what the page asks for.'],
  [/element is not stable/, 'EXECUTION_ERROR', 'It keeps moving: try again when it has come to rest.'],
  [/element is not editable/, 'EXECUTION_ERROR', 'It is read-only: look for the field that sets it.'],
  [
    /[Ee]lement is not an? <|cannot be filled/,
    'EXECUTION_ERROR',
    'It is not a text field: browser_click is for boxes and buttons, browser_execute_js for the rest.',
  ],
  [
    /detached from the DOM|not attached to the DOM/,
    'ELEMENT_NOT_FOUND',
    'The page replaced it: take browser_snapshot, then try again.',
  ],
  [/^Timeout /, 'CALL_TIMEOUT', 'The page did not get that far: take browser_snapshot to see where it is.'],
];

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** What an action on an element that was found failed of. What is not known is given back as it is. */
export function elementFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PwpoolError) return error;
  const message = cleanMessage(error.message, {});
  const [, code, hint] = OBSTACLES.find(([pattern]) => pattern.test(message)) ?? [];
  return code === undefined ? error : new PwpoolError(code, message, { hint, cause: error });
}
