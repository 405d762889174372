/**
 * What one client can cost all others. No keys: nobody's work with browsers comes near them, and who has to serve more
 * has a proxy in front that limits better.
 */

/** Bytes of a request: the largest are scripts for `browser_execute_bulk`. The SDK's own limit. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Bytes of the headers of a request. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds for the headers of a request to arrive, and for all of it. */
export const HEADERS_MS = 10_000;
export const REQUEST_MS = 30_000;
/** Milliseconds between two looks for requests that take longer. */
export const LOOK_MS = 2_000;
/** Milliseconds without a byte either way, of which streams send some: then nobody reads any more. */
export const SILENT_MS = 60_000;
/** Milliseconds between two signs of life on a stream: proxies cut those that are silent for a minute. */
export const KEEP_ALIVE_MS = 15_000;
/** Milliseconds that a connection is kept for the next request: longer than proxies keep theirs. */
export const NEXT_REQUEST_MS = 65_000;
/** Connections at a time. A client of 2025 has one and one for each call that runs. */
export const MAX_CONNECTIONS = 4_096;
/** Clients of 2025 at a time. Those that are silent and have no session leave for others. */
export const MAX_CLIENTS = 1_000;
/** Bytes of messages that are kept for a client of 2025 whose streams were cut: some answers. */
export const MAX_KEPT_BYTES = 512 * 1024;
