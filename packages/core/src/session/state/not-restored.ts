/** What no saved state brings back, for the answer that tells an agent of a restored session. */
export const NOT_RESTORED: readonly string[] = [
  'In-page state is gone: typed text, scroll positions, script variables, open dialogs, uploads, WebSocket connections.',
  'Element references and snapshots from before are no longer valid: take a new snapshot.',
  'The tabs have no history to go back to, and the current one is the first now.',
  'HTTP authentication, granted permissions and client certificates have to be given again.',
  'Service workers, the HTTP cache, the Cache API and the private file system of sites start empty.',
];
