import type { ErrorCode } from '@pwpool/core';

/** All that a caller reads of an error, on a real server and a real page. */
export interface Provoked {
  readonly code: ErrorCode;
  /** `HOST` is the page's. Figures of time are examples. */
  readonly reads: string;
}

/** `error-codes.browser.test.ts` leads to each. Each is an example in docs/errors.md. */
export const PROVOKED: readonly Provoked[] = [
  {
    code: 'BROWSER_NOT_READY',
    reads: `BROWSER_NOT_READY: EXECUTABLE_PATH names no executable file: /opt/browser
For whoever runs pwpool: Correct EXECUTABLE_PATH, or remove it to let pwpool look for a browser.`,
  },
  {
    code: 'CALL_TIMEOUT',
    reads: `CALL_TIMEOUT: Timed out after 5000 ms, waiting for getByText('never').first() to be visible.
Take browser_snapshot to see what is there, or wait longer with browser_wait_for.
Page URL: http://HOST/`,
  },
  { code: 'CANCELLED', reads: 'CANCELLED: The wait for a lease was cancelled by its caller.' },
  {
    code: 'CONFIG_INVALID',
    reads: `CONFIG_INVALID: The configuration has 1 violation:
- pools.WEB.instances is 0, but must be a whole number from 1 to 1000. Set it to a whole number from 1 to 1000.
Correct every setting in the list, then start again.`,
  },
  {
    code: 'ELEMENT_NOT_FOUND',
    reads: `ELEMENT_NOT_FOUND: "#xyzzy" does not match any elements.
Take browser_snapshot and use a reference from it, or a selector that matches one element.
Page URL: http://HOST/`,
  },
  {
    code: 'ELEMENT_NOT_VISIBLE',
    reads: `ELEMENT_NOT_VISIBLE: The element is covered by <div id="overlay">Loading…</div> (target: <button id="covered">Covered</button>).
Close or answer that first (a banner, a dialog of the page), then try again.
Page URL: http://HOST/`,
  },
  {
    code: 'EXECUTION_ERROR',
    reads: `EXECUTION_ERROR: a string
The script threw that in the page: mend it, and call it again.
Page URL: http://HOST/`,
  },
  {
    code: 'EXPECTATION_FAILED',
    reads: `EXPECTATION_FAILED: Expected steps.page.title == 'Checkout': steps.page.title = "Shop".
Compare it with the page: a browser_take_screenshot before the end of the steps shows it.`,
  },
  {
    code: 'INSTANCE_CRASHED',
    reads: `INSTANCE_CRASHED: The browser of instance '0' of pool 'WEB' ended unexpectedly.
Call again: session 'alice' goes on in a new browser, with its last cookies, storage and URL.`,
  },
  {
    code: 'INSTANCE_NOT_FOUND',
    reads: `INSTANCE_NOT_FOUND: Instance '7' not found in pool 'SIDE'.
Use one of: 0, 1, main.`,
  },
  {
    code: 'INVALID_ARGUMENTS',
    reads: `INVALID_ARGUMENTS: Unknown key: "Nope"
Use a name such as Enter, Tab, ArrowDown, Control+A, or one character.
Page URL: http://HOST/`,
  },
  {
    code: 'LEASE_REVOKED',
    reads: `LEASE_REVOKED: The lease of instance '0' of pool 'WEB' was released.
Take a new lease; the instance may have another holder by now.`,
  },
  {
    code: 'LEASE_TIMEOUT',
    reads: `LEASE_TIMEOUT: Waited 5000 ms for an instance of pool 'WEB': 2 leased, 0 idle, 0 out of circulation, 0 more waiting. Held: instance 0 by session alice for 5000 ms; instance 1 by session bob for 5000 ms.
Close a session of yours that is no longer needed, or try again later. Use another pool, with start_browser or in a call without sessionId: browser_pool "SIDE". Whoever runs pwpool can raise INSTANCES or LEASE_TIMEOUT.`,
  },
  {
    code: 'NAVIGATION_TIMEOUT',
    reads: `NAVIGATION_TIMEOUT: The navigation of http://HOST/hang did not finish within 10000 ms.
The page was stopped and the browser can be used. Check that the server answers. Whoever runs pwpool can raise TIMEOUT_NAVIGATION.
Page URL: http://HOST/`,
  },
  {
    code: 'NO_HEALTHY_INSTANCES',
    reads: `NO_HEALTHY_INSTANCES: Default pool 'WEB' has no healthy instances. Specify explicit pool or restart failed instances.
Use another pool, with start_browser or in a call without sessionId: browser_pool "SIDE". Ask whoever runs pwpool to restart it: this pool starts no failed browser again (AUTO_RESTART=true would). Why the first one failed: EXECUTABLE_PATH names no executable file: /opt/browser. For whoever runs pwpool: Correct EXECUTABLE_PATH, or remove it to let pwpool look for a browser.`,
  },
  {
    code: 'POOL_BUSY',
    reads: `POOL_BUSY: Pool 'WEB' is busy: 2 callers wait for an instance already, which is its QUEUE_LIMIT. Held: instance 0 by session alice for 5000 ms; instance 1 by session bob for 5000 ms.
Try again later. Use another pool, with start_browser or in a call without sessionId: browser_pool "SIDE". Whoever runs pwpool can raise INSTANCES or QUEUE_LIMIT.`,
  },
  {
    code: 'POOL_NOT_FOUND',
    reads: `POOL_NOT_FOUND: Invalid pool name in browser_pool: there is no pool 'WEBB'.
Use one of: SIDE, WEB.`,
  },
  {
    code: 'RATE_LIMITED',
    reads: `RATE_LIMITED: 'alice' has made its 2 calls a minute.
Try again in 30 s, and do more in one call, with browser_execute_bulk.`,
  },
  {
    code: 'SESSION_AMBIGUOUS',
    reads: `SESSION_AMBIGUOUS: The call names no session, and 2 are open: alice, bob.
Pass the sessionId of the session that you started; if you have none, call start_browser. set_current_session chooses one for all calls that name none.`,
  },
  {
    code: 'SESSION_EXISTS',
    reads: `SESSION_EXISTS: Session 'alice' already exists
Use it, close it with close_session, or choose another sessionId.`,
  },
  {
    code: 'SESSION_EXPIRED',
    reads: `SESSION_EXPIRED: Session 'alice' ended at 2026-01-02T10:16:30.000Z: it had no call for 60000 ms.
Start it again with start_browser({ sessionId: "alice" }): the name is free. Whoever runs pwpool can change SESSION_IDLE_TIMEOUT.`,
  },
  {
    code: 'SESSION_LIMIT',
    reads: `SESSION_LIMIT: There are 2 sessions of this client already, which is the limit.
Close one of yours that is no longer needed: alice, bob.`,
  },
  {
    code: 'SESSION_NOT_FOUND',
    reads: `SESSION_NOT_FOUND: Session 'chekout' not found.
Did you mean 'checkout'? If not, start it with start_browser({ sessionId: "chekout" }).`,
  },
  {
    code: 'SHUTTING_DOWN',
    reads: `SHUTTING_DOWN: The server is shutting down and takes no more calls.
Try again in 5 s: if it is started again, it answers by then, and sessions are to be started anew.`,
  },
  {
    code: 'SNAPSHOT_EXPIRED',
    reads: `SNAPSHOT_EXPIRED: The snapshot 'k7wq2' is not known, or no longer kept.
Take browser_snapshot again, and page on with the cache_key of its answer; it is good for 5 minutes from its last use, in the session it was taken in.
Page URL: http://HOST/`,
  },
  {
    code: 'TARGET_CONFLICT',
    reads: `TARGET_CONFLICT: Session 'alice' uses instance '0' of pool 'WEB', not the one that the call names.
Name the session alone, or leave sessionId out.`,
  },
  {
    code: 'TOOL_NOT_FOUND',
    reads: `TOOL_NOT_FOUND: Tool 'browser_clik' not found.
Did you mean browser_click?`,
  },
  {
    code: 'URL_BLOCKED',
    reads: `URL_BLOCKED: file:///etc/passwd is blocked: pages open by http and https, not by "file:".
Use an http or https address, such as one that serves the file.
Page URL: http://HOST/`,
  },
];
