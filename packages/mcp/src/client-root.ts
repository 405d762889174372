import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/server';
import type { Clock } from '@pwpool/core';

/** Milliseconds for a client that offers roots to name them. */
const ANSWER_MS = 5_000;
/** Longest request the SDK waits for; the deadline is ours. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const NO_ANSWER =
  `The client offers roots and did not name them within ${ANSWER_MS} ms: files go to the working directory. ` +
  'PW_MCP_PROXY_IGNORE_ROOTS=true does not ask it.';

/**
 * The directory that a client works in: the first of its roots that is one, as upstream has it. It is asked for once, and
 * again after the client has said that its roots have changed. Only the 2025 revisions of MCP let a server ask.
 */
export class ClientRoot {
  readonly #server: Server;
  readonly #clock: Clock;
  #root: Promise<string | undefined> | undefined;

  constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    server.setNotificationHandler('notifications/roots/list_changed', () => {
      this.#root = undefined;
    });
  }

  /** `undefined` when the client has none, or does not answer in time. */
  async read(): Promise<string | undefined> {
    this.#root ??= this.#ask().catch((error: unknown) => {
      this.#server.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    });
    return await this.#root;
  }

  async #ask(): Promise<string | undefined> {
    if (!this.#server.getClientCapabilities()?.roots) return undefined;
    const late = new AbortController();
    const cancelDeadline = this.#clock.after(ANSWER_MS, () => late.abort(NO_ANSWER));
    try {
      const options = { signal: late.signal, timeout: NO_TIMEOUT_MS };
      const { roots } = await this.#server.listRoots(undefined, options);
      return roots.map(({ uri }) => directoryOf(uri)).find((path) => path !== undefined);
    } finally {
      cancelDeadline();
    }
  }
}

function directoryOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
