import type { ToolArguments } from '../../../src/connection/tool-connection.js';

/** A call that fails on the page of `failing-site.ts`, and all that a model reads of it. */
export interface Failing {
  readonly tool: string;
  /** `HOST` is the page's, at `CLOSED` nobody listens; `REF button "Save"` the reference of the line with that in a snapshot of it. */
  readonly args: ToolArguments;
  /** What the page does after the snapshot. */
  readonly meanwhile?: string;
  /** A call before it. */
  readonly after?: readonly [string, ToolArguments];
  /** The text of the answer, without its heading. */
  readonly reads: string;
}

/** Every failure of upstream's that pwpool knows by its words. The first of a code is its example in docs/errors.md. */
export const FAILING: readonly Failing[] = [
  {
    tool: 'browser_click',
    args: { target: 'REF button "Save draft"' },
    meanwhile: 'save.replaceWith(save.cloneNode(true))',
    reads: `ELEMENT_NOT_FOUND: The reference 'kqbze24' is no longer good: its element is gone, or has become another one. It was button "Save draft".
button "Save draft" [ref=kqbze33] is in its place now: use that reference if it is what you mean.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'REF button "Save draft"' },
    meanwhile: 'save.textContent = "Publish draft"; save.nextElementSibling.textContent = "Publish a copy"',
    after: ['browser_snapshot', {}],
    reads: `ELEMENT_NOT_FOUND: The reference 'kqbze24' is no longer good: its element is gone, or has become another one. It was button "Save draft".
The same element is button "Publish draft" [ref=kqbze33] now: use that reference if it is what you mean.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'REF button "Save draft"' },
    meanwhile: 'location.reload()',
    after: ['browser_snapshot', {}],
    reads: `ELEMENT_NOT_FOUND: The reference 'kqbze24' is from before a navigation: the page that it belongs to is no longer shown. It was button "Save draft".
button "Save draft" [ref=kqbze24] is in its place now: use that reference if it is what you mean.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#save-as' },
    reads: `ELEMENT_NOT_FOUND: "#save-as" does not match any elements.
Nearest on the page now: button "Save draft" [ref=kqbze24], button "Save a copy" [ref=kqbze25]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: "getByRole('button', { name: 'Save a copie' })" },
    reads: `ELEMENT_NOT_FOUND: "getByRole('button', { name: 'Save a copie' })" does not match any elements.
Nearest on the page now: button "Save a copy" [ref=kqbze25], button "Save draft" [ref=kqbze24]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#none', element: 'Subscribe button' },
    reads: `ELEMENT_NOT_FOUND: "#none" does not match any elements.
Nearest on the page now: button "Subscribe" [ref=kqbze22], button "Gone" [ref=kqbze7]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#xyzzy' },
    reads: `ELEMENT_NOT_FOUND: "#xyzzy" does not match any elements.
Take browser_snapshot and use a reference from it, or a selector that matches one element.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: "getByRole('combobox', { name: 'xyzzy' })" },
    reads: `ELEMENT_NOT_FOUND: "getByRole('combobox', { name: 'xyzzy' })" does not match any elements.
No combobox has that name; the page has: combobox "Size" [ref=kqbze29]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'button:not([id])' },
    reads: `INVALID_ARGUMENTS: locator('button:not([id])') matches 7 elements, and must match one:
    1) <button>A</button> aka getByRole('button', { name: 'A', exact: true })
    2) <button>B</button> aka getByRole('button', { name: 'B', exact: true })
    3) <button>Accept all</button> aka getByRole('button', { name: 'Accept all' })
    4) <button>Reject</button> aka getByRole('button', { name: 'Reject' })
    5) <button aria-controls="menu" aria-expanded="false">Account</button> aka getByRole('button', { name: 'Account' })
    6) <button>Choose a carrier</button> aka getByText('Choose a carrier')
    7) <button>Save a copy</button> aka getByRole('button', { name: 'Save a copy' })
Pass what stands behind "aka" for the one that you mean, or its reference from browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'REF button "Buy now"' },
    reads: `ELEMENT_NOT_VISIBLE: The element is covered by <div role="dialog" aria-label="Cookies">…</div> (target: <button id="buy">Buy now</button>). The cover is dialog "Cookies" [ref=kqbze10].
Close or answer it first: button "Accept all" [ref=kqbze12], button "Reject" [ref=kqbze13].
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'button[' },
    reads: `INVALID_ARGUMENTS: "button[" is not a valid target.
Pass a reference from browser_snapshot, a CSS selector, or a locator such as getByRole('button', { name: 'Submit' }).
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#menu a' },
    reads: `ELEMENT_NOT_VISIBLE: The element is hidden (target: <a href="#out">Sign out</a>). The cause is <div id="menu" style="display: none"> (display: none).
Open that first: button "Account" [ref=kqbze17].
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: 'text=Choose a carrier' },
    reads: `ELEMENT_NOT_VISIBLE: The element is hidden (target: <button>Choose a carrier</button>). The cause is <details> (closed).
Open that first: element "Shipping" [ref=kqbze19].
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#far' },
    reads: `ELEMENT_NOT_VISIBLE: The element is outside the viewport, and scrolling does not bring it in (target: <button id="far">Far</button>). It is at (-9999, 8), the viewport is 1280 x 720.
Make the window larger with browser_resize, or use browser_evaluate.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#covered' },
    reads: `ELEMENT_NOT_VISIBLE: The element is covered by <div id="overlay">Loading…</div> (target: <button id="covered">Covered</button>).
Close or answer that first (a banner, a dialog of the page), then try again.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#disabled' },
    reads: `EXECUTION_ERROR: The element is disabled (target: <button disabled id="disabled">Subscribe</button>).
Fill in first what its form lacks: textbox "Email" [ref=kqbze21].
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#moving' },
    reads: `EXECUTION_ERROR: The element keeps moving (target: <button id="moving">Moving</button>).
Wait with browser_wait_for until it rests, or focus it and use browser_press_key.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_click',
    args: { target: '#gone' },
    reads: `ELEMENT_NOT_FOUND: The page removed the element before it could be used (target: <button id="gone" onmouseover="this.remove()">Gone</button>).
Take browser_snapshot and use a reference from it, or a selector that matches one element.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_type',
    args: { target: '#readonly', text: 'x' },
    reads: `EXECUTION_ERROR: The field is read-only (target: <input readonly id="readonly"/>).
Look for the control that sets it, such as a button beside it.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_type',
    args: { target: '#text', text: 'x' },
    reads: `EXECUTION_ERROR: Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]
The tool is not for that kind of element: browser_select_option is for dropdowns, browser_click for boxes and buttons.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_type',
    args: { target: '#box', text: 'x' },
    reads: `EXECUTION_ERROR: Input of type "checkbox" cannot be filled
The tool is not for that kind of element: browser_select_option is for dropdowns, browser_click for boxes and buttons.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_type',
    args: { target: '#number', text: 'x' },
    reads: `EXECUTION_ERROR: Cannot type text into input[type=number]
Pass digits.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_select_option',
    args: { target: '#select', values: ['Three'] },
    reads: `ELEMENT_NOT_FOUND: The dropdown has no such option (target: <select id="select" aria-label="Size">…</select>).
It has "One", "Two": pass the label or the value of one.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_select_option',
    args: { target: '#text', values: ['Two'] },
    reads: `EXECUTION_ERROR: Element is not a <select> element
The tool is not for that kind of element: browser_select_option is for dropdowns, browser_click for boxes and buttons.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_fill_form',
    args: { fields: [{ name: 'Email', type: 'textbox', target: '#e-mail', value: 'x' }] },
    reads: `ELEMENT_NOT_FOUND: "#e-mail" does not match any elements.
Nearest on the page now: textbox "Email" [ref=kqbze21]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_press_key',
    args: { key: 'Nope' },
    reads: `INVALID_ARGUMENTS: Unknown key: "Nope"
Use a name such as Enter, Tab, ArrowDown, Control+A, or one character.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_evaluate',
    args: { function: '() => boom()' },
    reads: `EXECUTION_ERROR: TypeError: The cart is empty (http://HOST/:32)
The script threw that in the page: mend it, and call it again.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_evaluate',
    args: { function: '() => {\n  const one = 1;\n  return nope.x;\n}' },
    reads: `EXECUTION_ERROR: ReferenceError: nope is not defined (line 3 of the function)
The script threw that in the page: mend it, and call it again.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_evaluate',
    args: { function: '() => { throw "a string" }' },
    reads: `EXECUTION_ERROR: a string
The script threw that in the page: mend it, and call it again.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_evaluate',
    args: { function: '() => {' },
    reads: `EXECUTION_ERROR: SyntaxError: Unexpected token ')'
The script threw that in the page: mend it, and call it again.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_evaluate',
    args: { function: '() => localStorage.length' },
    after: ['browser_navigate', { url: 'data:text/html,x' }],
    reads: `EXECUTION_ERROR: SecurityError: This page has no localStorage.
Open a page of the site first with browser_navigate: blank pages and documents without an origin store nothing.
Page URL: data:text/html,x`,
  },
  {
    tool: 'browser_click',
    args: { target: '#text' },
    after: ['browser_click', { target: '#alert' }],
    reads: `EXECUTION_ERROR: The page waits for an answer to its dialog (alert): "Sure?".
Answer it first: browser_handle_dialog { "accept": true }, or false; for a prompt with "promptText".
Page URL: http://HOST/
### Modal state
- ["alert" dialog with message "Sure?"]: can be handled by browser_handle_dialog`,
  },
  {
    tool: 'browser_click',
    args: { target: '#text' },
    after: ['browser_click', { target: '#prompt' }],
    reads: `EXECUTION_ERROR: The page waits for an answer to its dialog (prompt): "Your name?".
Answer it first: browser_handle_dialog { "accept": true }, or false; for a prompt with "promptText".
Page URL: http://HOST/
### Modal state
- ["prompt" dialog with message "Your name?"]: can be handled by browser_handle_dialog`,
  },
  {
    tool: 'browser_click',
    args: { target: '#text' },
    after: ['browser_click', { target: '#file' }],
    reads: `EXECUTION_ERROR: The page waits for a file to be chosen.
Answer it first: browser_file_upload { "paths": ["…"] }, or without paths to choose none.
Page URL: http://HOST/
### Modal state
- [File chooser]: can be handled by browser_file_upload`,
  },
  {
    tool: 'browser_file_upload',
    args: { paths: ['none.txt'] },
    after: ['browser_click', { target: '#file' }],
    reads: `INVALID_ARGUMENTS: No such file: none.txt
Use a file in the working directory or the output folder; relative names are looked for in the first.
### Page
- Page URL: http://HOST/
### Modal state
- [File chooser]: can be handled by browser_file_upload
### Snapshot
\`\`\`yaml

\`\`\``,
  },
  {
    tool: 'browser_handle_dialog',
    args: { accept: true },
    reads: `EXECUTION_ERROR: No dialog is open.
Go on without it. Dialogs of the page itself are elements of browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_file_upload',
    args: {},
    reads: `EXECUTION_ERROR: No file chooser is open.
Click first what opens it, such as a file field or an upload button.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_wait_for',
    args: { text: 'never' },
    reads: `CALL_TIMEOUT: Timed out after 5000 ms, waiting for getByText('never').first() to be visible.
Take browser_snapshot to see what is there, or wait longer with browser_wait_for.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_wait_for',
    args: {},
    reads: `INVALID_ARGUMENTS: Either time, text or textGone must be provided
Call it again with what it asks for.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_tabs',
    args: { action: 'select', index: 9 },
    reads: `INVALID_ARGUMENTS: Tab 9 not found
browser_tabs with action "list" shows the tabs.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_tabs',
    args: { action: 'select' },
    reads: `INVALID_ARGUMENTS: Tab index is required
browser_tabs with action "list" shows the tabs.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_find',
    args: { regex: '(' },
    reads: `INVALID_ARGUMENTS: Invalid arguments for tool "browser_find": 'regex': Invalid regular expression.
Call it again with arguments that are valid.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_find',
    args: {},
    reads: `INVALID_ARGUMENTS: Provide either "text" or "regex" to search for.
Call it again with what it asks for.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_network_request',
    args: { index: 99 },
    reads: `INVALID_ARGUMENTS: Request #99 not found.
browser_network_requests shows the numbers of the requests since the page was opened.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_take_screenshot',
    args: { filename: '../../../../elsewhere.png' },
    reads: `INVALID_ARGUMENTS: File access denied: ../../../../elsewhere.png is outside allowed roots.
Use a file in the working directory or the output folder; relative names are looked for in the first.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_take_screenshot',
    args: { target: '#text', fullPage: true },
    reads: `INVALID_ARGUMENTS: fullPage cannot be used with element screenshots.
Call it again with what it asks for.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_verify_element_visible',
    args: { role: 'button', accessibleName: 'Save copy' },
    reads: `ELEMENT_NOT_FOUND: Element with role "button" and accessible name "Save copy" not found
Nearest on the page now: button "Save a copy" [ref=kqbze25], button "Save draft" [ref=kqbze24]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_verify_text_visible',
    args: { text: 'We eat cookies' },
    reads: `ELEMENT_NOT_FOUND: Text not found
Nearest on the page now: paragraph "We use cookies." [ref=kqbze11], dialog "Cookies" [ref=kqbze10]. Use one of these references, or take browser_snapshot.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_verify_value',
    args: { type: 'textbox', element: 'Email', target: '[aria-label=Email]', value: 'a@b.c' },
    reads: `EXECUTION_ERROR: Expected value "a@b.c", but got ""
The element is there, with another value: take browser_snapshot to see the whole.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://127.0.0.1:1/' },
    reads: `EXECUTION_ERROR: Browsers open nothing at the port of http://127.0.0.1:1/ (net::ERR_UNSAFE_PORT).
Use another port.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://nope.invalid/' },
    reads: `EXECUTION_ERROR: There is no host of that name: http://nope.invalid/ (net::ERR_NAME_NOT_RESOLVED).
Check the address.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://CLOSED/' },
    reads: `EXECUTION_ERROR: Nothing listens at http://CLOSED/ (net::ERR_CONNECTION_REFUSED).
Check host and port, and that the server runs.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'https://HOST/' },
    reads: `EXECUTION_ERROR: No secure connection to https://HOST/ (net::ERR_SSL_PROTOCOL_ERROR).
If the server speaks plain HTTP, use http://. Whoever runs pwpool can have its certificate accepted: IGNORE_HTTPS_ERRORS.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://HOST/cut' },
    reads: `EXECUTION_ERROR: The connection to http://HOST/cut failed, or was closed without an answer (net::ERR_EMPTY_RESPONSE).
Check host, port and protocol, and that the server runs.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://HOST/empty' },
    reads: `EXECUTION_ERROR: http://HOST/empty opened no page (net::ERR_ABORTED): it may be a download, or have no content.
Take browser_snapshot: the page is where it was. browser_network_requests tells the status.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://HOST/round' },
    reads: `EXECUTION_ERROR: http://HOST/round redirects without end (net::ERR_TOO_MANY_REDIRECTS).
It may want cookies of a login: open the page that logs in first.
Page URL: chrome-error://chromewebdata/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://HOST/hang' },
    reads: `NAVIGATION_TIMEOUT: The navigation of http://HOST/hang did not finish within 10000 ms.
The page was stopped and the browser can be used. Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_tabs',
    args: { action: 'new', url: 'http://HOST/hang' },
    reads: `NAVIGATION_TIMEOUT: The navigation of http://HOST/hang did not finish within 10000 ms.
The page was stopped and the browser can be used. Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'file:///etc/passwd' },
    reads: `URL_BLOCKED: file:///etc/passwd is blocked: pages open by http and https, not by "file:".
Use an http or https address, such as one that serves the file.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'chrome://settings' },
    reads: `URL_BLOCKED: Cannot navigate to "chrome://settings": this page is not available in an isolated browser context, and opening it crashes the browser.
Use an http or https address.
Page URL: http://HOST/`,
  },
  {
    tool: 'browser_navigate',
    args: { url: 'http://' },
    reads: `INVALID_ARGUMENTS: The address is not a valid URL.
Pass a whole address: https://host/path.
Page URL: http://HOST/`,
  },
];
