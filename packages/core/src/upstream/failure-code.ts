import type { ToolArguments } from '../connection/tool-connection.js';
import type { ErrorCode } from '../errors.js';
import { navigates } from './tool-table.js';

/** What the page can tell more of: an element that is not found, or that nothing can be done with, and why. */
export type Look = 'missing' | 'covered' | 'hidden' | 'outside' | 'disabled' | 'options';

/** What a failure of upstream's is, and what its caller can do next. */
export interface FailureKind {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly look?: Look | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

interface FailureRow extends Pick<FailureKind, 'code' | 'hint' | 'look'> {
  /** What upstream says. */
  readonly when: RegExp;
  /** What is said in the place of that part; `$1` and so on as in `String.replace`. */
  readonly says?: string;
  /** Of these calls only. */
  readonly of?: (tool: string, args: ToolArguments) => boolean;
}

const SNAPSHOT = 'Take browser_snapshot and use a reference from it, or a selector that matches one element.';
const SERVER = 'Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.';
const OTHER_PAGE =
  'Take browser_snapshot to see where the page is, and call it again if that is still wanted.';

/**
 * Upstream tells what went wrong in words only: this table is the one place where words become codes. The first row that
 * fits counts. `test/upstream/failures` provokes each on a page, `packages/mcp/test` a full disk.
 */
const FAILURES: readonly FailureRow[] = [
  {
    when: /^Invalid arguments for tool/,
    code: 'INVALID_ARGUMENTS',
    hint: 'Call it again with arguments that are valid.',
  },

  // Elements.
  {
    when: /^Ref (\S+) not found in the current page snapshot\. Try capturing new snapshot\./,
    says: "The reference '$1' is no longer good: its element is gone, or has become another one.",
    code: 'ELEMENT_NOT_FOUND',
    hint: SNAPSHOT,
    look: 'missing',
  },
  { when: /does not match any elements/, code: 'ELEMENT_NOT_FOUND', hint: SNAPSHOT, look: 'missing' },
  {
    when: /^(".*" is not a valid target\.).*/,
    says: '$1',
    code: 'INVALID_ARGUMENTS',
    hint: `Pass a reference from browser_snapshot, a CSS selector, or a locator such as getByRole('button', { name: 'Submit' }).`,
  },
  {
    when: /^(?:Element with role .* not found|Text not found|Item ".*" not found)/,
    code: 'ELEMENT_NOT_FOUND',
    hint: 'Take browser_snapshot to see what is there.',
    look: 'missing',
  },
  {
    when: /^strict mode violation: (.*) resolved to (\d+) elements/,
    says: '$1 matches $2 elements, and must match one',
    code: 'INVALID_ARGUMENTS',
    hint: 'Pass what stands behind "aka" for the one that you mean, or its reference from browser_snapshot.',
  },
  {
    when: /^Timeout \d+ms exceeded: element was detached from the DOM/,
    says: 'The page removed the element before it could be used',
    code: 'ELEMENT_NOT_FOUND',
    hint: SNAPSHOT,
    look: 'missing',
  },
  {
    when: /^Timeout \d+ms exceeded: element is not visible/,
    says: 'The element is hidden',
    code: 'ELEMENT_NOT_VISIBLE',
    hint: 'Open what hides it (a menu, a tab, a section), and take browser_snapshot again.',
    look: 'hidden',
  },
  {
    when: /^Timeout \d+ms exceeded: element is outside of the viewport/,
    says: 'The element is outside the viewport, and scrolling does not bring it in',
    code: 'ELEMENT_NOT_VISIBLE',
    hint: 'Make the window larger with browser_resize, or use browser_evaluate.',
    look: 'outside',
  },
  {
    when: /^Timeout \d+ms exceeded: ([\s\S]*) intercepts pointer events/,
    says: 'The element is covered by $1',
    code: 'ELEMENT_NOT_VISIBLE',
    hint: 'Close or answer that first (a banner, a dialog of the page), then try again.',
    look: 'covered',
  },
  {
    when: /^Timeout \d+ms exceeded: element is inert/,
    says: 'The element is inert: a dialog of the page is open, or the page switched that part of itself off',
    code: 'ELEMENT_NOT_VISIBLE',
    hint: 'Close or answer the dialog first, then try again.',
    look: 'covered',
  },
  {
    when: /^Timeout \d+ms exceeded: element is not enabled/,
    says: 'The element is disabled',
    code: 'EXECUTION_ERROR',
    hint: 'Do first what the page asks for, or wait with browser_wait_for.',
    look: 'disabled',
  },
  {
    when: /^Timeout \d+ms exceeded: element is not stable/,
    says: 'The element keeps moving',
    code: 'EXECUTION_ERROR',
    hint: 'Wait with browser_wait_for until it rests, or focus it and use browser_press_key.',
  },
  {
    when: /^Timeout \d+ms exceeded: element is not editable/,
    says: 'The field is read-only',
    code: 'EXECUTION_ERROR',
    hint: 'Look for the control that sets it, such as a button beside it.',
  },
  {
    when: /^Timeout \d+ms exceeded: did not find some options/,
    says: 'The dropdown has no such option',
    code: 'ELEMENT_NOT_FOUND',
    hint: 'Take browser_snapshot to see which options there are, and pass the label or the value of one.',
    look: 'options',
  },
  {
    when: /^Timeout \d+ms exceeded: option being selected is not enabled/,
    says: 'The option is disabled',
    code: 'EXECUTION_ERROR',
    hint: 'Choose another one, or do first what the page asks for.',
  },
  {
    when: /[Ee]lement is not an? <|Input of type .* cannot be filled|Not a checkbox or radio button/,
    code: 'EXECUTION_ERROR',
    hint: 'The tool is not for that kind of element: browser_select_option is for dropdowns, browser_click for boxes and buttons.',
  },
  { when: /Cannot type text into input/, code: 'EXECUTION_ERROR', hint: 'Pass digits.' },
  { when: /did not take/, code: 'EXECUTION_ERROR', hint: 'Pass a value in the form that the field takes.' },

  // Pages that do not open.
  {
    when: /^Access to "(\w+):" protocol is blocked\. Attempted URL: "(.*)"/,
    says: '$2 is blocked: pages open by http and https, not by "$1:".',
    code: 'URL_BLOCKED',
    hint: 'Use an http or https address, such as one that serves the file.',
  },
  { when: /this page is not available/, code: 'URL_BLOCKED', hint: 'Use an http or https address.' },
  {
    when: /(net::ERR_BLOCKED_BY\w+) at (\S+)/,
    says: '$2 is blocked ($1).',
    code: 'URL_BLOCKED',
    hint: 'A route blocks it (browser_route_list), or whoever runs this server. Use another address.',
  },
  {
    when: /(net::ERR_(?:\w+_)?TIMED_OUT|NS_ERROR_NET_TIMEOUT)(?: at (\S+))?/,
    says: 'Nothing answered at $2 ($1).',
    code: 'NAVIGATION_TIMEOUT',
    hint: SERVER,
  },
  {
    when: /^Timeout (\d+)ms exceeded: navigating to "(.*?)".*/,
    says: '$2 did not load within $1 ms.',
    code: 'NAVIGATION_TIMEOUT',
    hint: SERVER,
  },
  {
    when: /(net::ERR_NAME_NOT_RESOLVED|NS_ERROR_UNKNOWN_HOST)(?: at (\S+))?/,
    says: 'There is no host of that name: $2 ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Check the address.',
  },
  {
    when: /(net::ERR_CONNECTION_REFUSED|NS_ERROR_CONNECTION_REFUSED)(?: at (\S+))?/,
    says: 'Nothing listens at $2 ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Check host and port, and that the server runs.',
  },
  {
    when: /(net::ERR_(?:CONNECTION_\w+|ADDRESS_UNREACHABLE|EMPTY_RESPONSE)|NS_ERROR_NET_\w+)(?: at (\S+))?/,
    says: 'The connection to $2 failed, or was closed without an answer ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Check host, port and protocol, and that the server runs.',
  },
  {
    when: /(net::ERR_(?:CERT|SSL)_\w+|SSL_ERROR_\w+|SEC_ERROR_\w+)(?: at (\S+))?/,
    says: 'No secure connection to $2 ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'If the server speaks plain HTTP, use http://. Whoever runs pwpool can have its certificate accepted: IGNORE_HTTPS_ERRORS.',
  },
  {
    when: /net::ERR_INTERNET_DISCONNECTED(?: at (\S+))?/,
    says: 'The browser is offline (net::ERR_INTERNET_DISCONNECTED).',
    code: 'EXECUTION_ERROR',
    hint: 'Go online with browser_network_state_set, if it was that which went offline.',
  },
  {
    when: /(net::ERR_(?:PROXY|TUNNEL)_\w+)(?: at (\S+))?/,
    says: 'The proxy did not bring a connection to $2 about ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Whoever runs pwpool can check PROXY_SERVER.',
  },
  {
    when: /(net::ERR_TOO_MANY_REDIRECTS)(?: at (\S+))?/,
    says: '$2 redirects without end ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'It may want cookies of a login: open the page that logs in first.',
  },
  {
    when: /(net::ERR_ABORTED|NS_BINDING_ABORTED)(?: at (\S+))?/,
    says: '$2 opened no page ($1): it may be a download, or have no content.',
    code: 'EXECUTION_ERROR',
    hint: 'Take browser_snapshot: the page is where it was. browser_network_requests tells the status.',
  },
  {
    when: /(net::ERR_UNSAFE_PORT)(?: at (\S+))?/,
    says: 'Browsers open nothing at the port of $2 ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Use another port.',
  },
  {
    when: /(net::ERR_\w+|NS_ERROR_\w+)(?: at (\S+))?/,
    says: 'The browser could not open $2 ($1).',
    code: 'EXECUTION_ERROR',
    hint: 'Check the address.',
  },
  {
    when: /^.*Cannot navigate to invalid URL/,
    says: 'The address is not a valid URL.',
    code: 'INVALID_ARGUMENTS',
    hint: 'Pass a whole address: https://host/path.',
  },
  {
    when: /^Navigation to "(.*?)" is interrupted by another navigation to "(.*?)"/,
    says: 'The page went to $2 while $1 was being opened',
    code: 'EXECUTION_ERROR',
    hint: OTHER_PAGE,
  },

  // What blocks a page until it is answered.
  {
    when: /^.* does not handle the modal state[\s\S]*\["(\w+)" dialog with message "([\s\S]*?)"\]: can be handled[\s\S]*$/,
    says: 'The page waits for an answer to its dialog ($1): "$2".',
    code: 'EXECUTION_ERROR',
    hint: 'Answer it first: browser_handle_dialog { "accept": true }, or false; for a prompt with "promptText".',
  },
  {
    when: /^.* does not handle the modal state[\s\S]*\[File chooser\][\s\S]*$/,
    says: 'The page waits for a file to be chosen.',
    code: 'EXECUTION_ERROR',
    hint: 'Answer it first: browser_file_upload { "paths": ["…"] }, or without paths to choose none.',
  },
  {
    when: /^The tool "browser_handle_dialog" can only be used when there is related modal state present|No dialog visible/,
    says: 'No dialog is open',
    code: 'EXECUTION_ERROR',
    hint: 'Go on without it. Dialogs of the page itself are elements of browser_snapshot.',
  },
  {
    when: /^The tool "browser_file_upload" can only be used when there is related modal state present|No file chooser visible/,
    says: 'No file chooser is open',
    code: 'EXECUTION_ERROR',
    hint: 'Click first what opens it, such as a file field or an upload button.',
  },

  // Arguments that only the tool itself can judge.
  {
    when: /Unknown key/,
    code: 'INVALID_ARGUMENTS',
    hint: 'Use a name such as Enter, Tab, ArrowDown, Control+A, or one character.',
  },
  {
    // Where upstream writes pictures, snapshots and downloads.
    when: /^(ENOSPC|EDQUOT|EFBIG): .*/,
    says: 'The disk of the server takes no more ($1): no file was written.',
    code: 'EXECUTION_ERROR',
    hint: 'Go on with what needs no file, such as browser_snapshot without filename. Whoever runs pwpool can make room on it.',
  },
  {
    when: /File access denied|No such file/,
    code: 'INVALID_ARGUMENTS',
    hint: 'Use a file in the working directory or the output folder; relative names are looked for in the first.',
  },
  {
    when: /^Tab (\S+) not found|Tab index is required/,
    code: 'INVALID_ARGUMENTS',
    hint: 'browser_tabs with action "list" shows the tabs.',
  },
  {
    when: /^(?:Either time, text or textGone must be provided|Provide (?:either|only one)|At least one of|"maxResults" must|Invalid (?:header|location)|Specify at least one|fullPage cannot be used|Cannot infer the cookie domain)/,
    code: 'INVALID_ARGUMENTS',
    hint: 'Call it again with what it asks for.',
  },
  {
    when: /^(Request #\S+ not found)\. Use .*/,
    says: '$1.',
    code: 'INVALID_ARGUMENTS',
    hint: 'browser_network_requests shows the numbers of the requests since the page was opened.',
  },

  // What does not fit what is going on.
  {
    when: /^Expected value ".*", but got ".*"/,
    code: 'EXECUTION_ERROR',
    hint: 'The element is there, with another value: take browser_snapshot to see the whole.',
  },
  {
    when: /has already been started|is already in progress/,
    code: 'EXECUTION_ERROR',
    hint: 'Go on, or end it first with the tool that stops it.',
  },
  {
    when: /is not started|No recording in progress/,
    code: 'EXECUTION_ERROR',
    hint: 'Start it first with the tool of that name.',
  },
  {
    when: /Failed to read the '(\w+)' property from 'Window': .*/,
    says: 'This page has no $1.',
    code: 'EXECUTION_ERROR',
    hint: 'Open a page of the site first with browser_navigate: blank pages and documents without an origin store nothing.',
  },
  { when: /No open pages|no open tab/i, code: 'EXECUTION_ERROR', hint: 'Open a page with browser_navigate.' },
  {
    when: /^.*Execution context was destroyed.*/,
    says: 'The page went elsewhere before the call was done.',
    code: 'EXECUTION_ERROR',
    hint: OTHER_PAGE,
  },
  {
    when: /^.*(?:has been closed|page was closed).*/,
    says: 'The page was closed before the call was done.',
    code: 'EXECUTION_ERROR',
    hint: 'browser_tabs with action "list" shows what is open now.',
  },
  {
    when: /^.*Timeout (\d+)ms exceeded\.?$/,
    says: 'The page did not load within $1 ms.',
    code: 'NAVIGATION_TIMEOUT',
    of: navigates,
    hint: SERVER,
  },
  {
    when: /^Timeout (\d+)ms exceeded: waiting for ([\s\S]*?)\.?$/,
    says: 'Timed out after $1 ms, waiting for $2.',
    code: 'CALL_TIMEOUT',
    hint: 'Take browser_snapshot to see what is there, or wait longer with browser_wait_for.',
  },
  {
    when: /^Timeout (\d+)ms exceeded/,
    says: 'Timed out after $1 ms',
    code: 'CALL_TIMEOUT',
    hint: 'Take browser_snapshot to see what is there, or wait with browser_wait_for.',
  },

  // A script that threw.
  {
    when: /^/,
    of: (tool) => tool === 'browser_evaluate',
    code: 'EXECUTION_ERROR',
    hint: 'The script threw that in the page: mend it, and call it again.',
  },
];

/** What fits no row of the table. */
const OTHER = {
  code: 'EXECUTION_ERROR',
  hint: "The message is the browser's own. Take browser_snapshot to see where the page is now.",
} as const;

/**
 * What the message of a failure means; `EXECUTION_ERROR` if nothing more is known.
 * @param message as upstream has it, without its insides (`cleanMessage`)
 */
export function failureKind(tool: string, args: ToolArguments, message: string): FailureKind {
  const row = FAILURES.find(({ when, of }) => when.test(message) && (of === undefined || of(tool, args)));
  if (!row) return { ...OTHER, message };
  const { when, says, code, hint, look } = row;
  return { code, hint, look, message: says === undefined ? message : message.replace(when, says) };
}
