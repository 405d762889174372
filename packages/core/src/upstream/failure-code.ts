import type { ToolArguments } from '../connection/tool-connection.js';
import type { ErrorCode } from '../errors.js';
import { navigates } from './tool-table.js';

/** What a failure of upstream's is, and what its caller can do next. */
export interface FailureKind {
  readonly code: ErrorCode;
  readonly hint: string;
}

const SNAPSHOT = 'Take browser_snapshot and use a reference from it, or a selector that matches one element.';

/**
 * Upstream tells what went wrong in words only: this table is the one place where words become codes. The first that
 * fits counts. `failure-code.browser.test.ts` provokes each on a page.
 */
const FAILURES: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^Invalid arguments for tool/, 'INVALID_ARGUMENTS', 'Call it again with arguments that are valid.'],
  [
    /does not match any elements|is not a valid target|not found in the current page snapshot/,
    'ELEMENT_NOT_FOUND',
    SNAPSHOT,
  ],
  [
    /strict mode violation/,
    'INVALID_ARGUMENTS',
    'Use one of the locators behind "aka", or a reference of browser_snapshot.',
  ],
  [
    /was detached from the DOM|is not attached to the DOM/,
    'ELEMENT_NOT_FOUND',
    'The page replaced it. Take browser_snapshot and use a reference from it.',
  ],
  [
    /element is not visible/,
    'ELEMENT_NOT_VISIBLE',
    'Open what hides it (a menu, a tab, a section), and take browser_snapshot again.',
  ],
  [
    /element is outside of the viewport/,
    'ELEMENT_NOT_VISIBLE',
    'Scroll it into view, make the window larger with browser_resize, or use browser_evaluate.',
  ],
  [
    /intercepts pointer events/,
    'ELEMENT_NOT_VISIBLE',
    'Something lies over it: close or answer that first (a banner, a dialog of the page), then try again.',
  ],
  [/element is not enabled/, 'EXECUTION_ERROR', 'It is disabled: do first what the page asks for.'],
  [
    /element is not stable/,
    'EXECUTION_ERROR',
    'It keeps moving: wait with browser_wait_for, or use the keyboard.',
  ],
  [/element is not editable/, 'EXECUTION_ERROR', 'It is read-only: look for the field that sets it.'],
  [
    /did not find some options/,
    'ELEMENT_NOT_FOUND',
    'Take browser_snapshot to see which options there are, and pass the label or the value of one.',
  ],
  [
    /[Ee]lement is not an? <|Input of type .* cannot be filled|Not a checkbox or radio button/,
    'EXECUTION_ERROR',
    'The tool is not for that kind of element: browser_select_option is for dropdowns, browser_click for boxes and buttons.',
  ],
  [/Cannot type text into input/, 'EXECUTION_ERROR', 'Pass digits.'],
  [/did not take/, 'EXECUTION_ERROR', 'Pass a value in the form that the field takes.'],
  [/protocol is blocked|this page is not available/, 'URL_BLOCKED', 'Use an http or https address.'],
  [/net::ERR_BLOCKED_BY/, 'URL_BLOCKED', 'The operator of this server, or a route, blocks that address.'],
  [
    /net::ERR_(?:\w+_)?TIMED_OUT/,
    'NAVIGATION_TIMEOUT',
    'Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.',
  ],
  [/net::ERR_NAME_NOT_RESOLVED/, 'EXECUTION_ERROR', 'There is no such host: check the address.'],
  [
    /net::ERR_(?:CONNECTION_\w+|ADDRESS_UNREACHABLE|EMPTY_RESPONSE)/,
    'EXECUTION_ERROR',
    'Nothing answers there: check host and port, and that the server runs.',
  ],
  [/net::ERR_(?:CERT|SSL)_/, 'EXECUTION_ERROR', 'No secure connection: check the certificate, or use http.'],
  [/net::ERR_INTERNET_DISCONNECTED/, 'EXECUTION_ERROR', 'The browser is offline.'],
  [
    /net::ERR_ABORTED/,
    'EXECUTION_ERROR',
    'The address opens no page: it may be a download, or have no content.',
  ],
  [/net::ERR_/, 'EXECUTION_ERROR', 'Check the address.'],
  [/Cannot navigate to invalid URL/, 'INVALID_ARGUMENTS', 'Pass a whole address: https://host/path.'],
  [
    /interrupted by another navigation/,
    'EXECUTION_ERROR',
    'The page went elsewhere meanwhile: take browser_snapshot, and navigate again if need be.',
  ],
  [
    /does not handle the modal state/,
    'EXECUTION_ERROR',
    'Answer what is open first: browser_handle_dialog for a dialog, browser_file_upload for a file chooser.',
  ],
  [
    /can only be used when there is related modal state|No dialog visible|No file chooser visible/,
    'EXECUTION_ERROR',
    'Nothing is open for this tool to answer: go on without it, or open it first.',
  ],
  [
    /Unknown key/,
    'INVALID_ARGUMENTS',
    'Use a name such as Enter, Tab, ArrowDown, Control+A, or one character.',
  ],
  [
    /File access denied|No such file/,
    'INVALID_ARGUMENTS',
    'Use a file in the working directory or the output folder; relative names are looked for in the first.',
  ],
  [
    /Tab \S+ not found|Tab index is required/,
    'INVALID_ARGUMENTS',
    'browser_tabs with action "list" shows the tabs.',
  ],
  [/No open pages|no open tab/i, 'EXECUTION_ERROR', 'Open a page with browser_navigate.'],
  [
    /Execution context was destroyed/,
    'EXECUTION_ERROR',
    'The page went elsewhere meanwhile. Take browser_snapshot, and try again if need be.',
  ],
  [
    /has been closed|page was closed/,
    'EXECUTION_ERROR',
    'The page closed meanwhile. Take browser_snapshot to see which is open now.',
  ],
];

/** What fits no line of the table. */
const OTHER: FailureKind = {
  code: 'EXECUTION_ERROR',
  hint: "The message is the browser's own. Take browser_snapshot to see where the page is now.",
};

/** What the message of a failure means; `EXECUTION_ERROR` if nothing more is known. */
export function failureKind(tool: string, args: ToolArguments, message: string): FailureKind {
  const found = FAILURES.find(([pattern]) => pattern.test(message));
  if (found) return { code: found[1], hint: found[2] };
  if (!/^Timeout \d+ms exceeded/.test(message)) return OTHER;
  return navigates(tool, args)
    ? {
        code: 'NAVIGATION_TIMEOUT',
        hint: 'Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.',
      }
    : {
        code: 'CALL_TIMEOUT',
        hint: 'It did not happen in time: take browser_snapshot to see what is there, or wait with browser_wait_for.',
      };
}
