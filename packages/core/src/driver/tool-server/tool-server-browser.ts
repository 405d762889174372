import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import type { ToolArguments, ToolResult } from '../../connection/tool-connection.js';
import type { ToolServerConnection } from '../../connection/tool-server-connection.js';
import { PwpoolError } from '../../errors.js';
import { errorText, LIST_TABS } from '../../upstream/answers.js';
import type { FailureKind } from '../../upstream/failure-code.js';
import { callMended } from '../../upstream/mended-call.js';
import {
  closePagesCode,
  outcomeOfUnblocking,
  RUN_CODE,
  TRY_PAGE,
  UNBLOCK_PAGES,
} from '../../upstream/run-code.js';
import { traitsOf, UNDOING_TOOLS } from '../../upstream/tool-table.js';
import type { WorkFolders } from '../../upstream/workspace.js';
import { withDeadline } from '../../waiting/deadline.js';
import type { BrowserHandle } from '../browser-driver.js';
import { unattended } from '../driver-errors.js';

/** Milliseconds for what must be quick when a browser is well. */
const QUESTION_MS = 3_000;
/** Milliseconds for `UNBLOCK_PAGES`, which itself has nine seconds, besides what the server waits after each action. */
const UNBLOCK_MS = 9_500;
/** Milliseconds for closing a browser. */
const CLOSE_MS = 3_500;
/** Milliseconds for `closePagesCode`, after which the browser is started anew. */
const CLOSE_PAGES_MS = 5_000;

/** A connected tool server, and what its driver knows of it. */
export interface ToolServer extends AsyncDisposable {
  readonly owned: boolean;
  readonly processId: number | null;
  readonly connection: ToolServerConnection;
  /** Names of its tools. */
  readonly tools: ReadonlySet<string>;
  /** The directory that it is told when it asks for roots, which it does as its browser starts; `undefined`: none. */
  root?: string | undefined;
  /** Aborts, with `INSTANCE_CRASHED`, when the server, or as far as it tells its browser, is gone. */
  readonly lost: AbortSignal;
  /** Runs a call that closes the browser on purpose, and waits until it is closed: that is no loss. */
  closing(call: () => Promise<ToolResult>): Promise<ToolResult>;
  /** Finds out what a call that failed tells of the browser: whether it is gone, which `lost` tells from then on. */
  examine(failed: ToolResult, signal: AbortSignal): Promise<void>;
  /** Gives the server up: from now on it is lost. */
  giveUp(): void;
}

/**
 * A browser behind a tool server, over one connection that is never made again: once it is gone, the browser is lost.
 *
 * Element references are upstream's own here, without the stamps of `stampTools`: those rest on the navigations of every
 * frame, which Playwright tells of a `BrowserContext` and no tool server tells of at all. So a reference from before a
 * navigation, or from another session, can meet another element.
 */
export class ToolServerBrowser implements BrowserHandle {
  readonly context = undefined;
  readonly currentPage = undefined;
  readonly sharedBy = 1;
  readonly #server: ToolServer;
  readonly #config: InstanceConfig;
  readonly #clock: Clock;

  constructor(server: ToolServer, config: InstanceConfig, clock: Clock) {
    this.#server = server;
    this.#config = config;
    this.#clock = clock;
  }

  get owned(): boolean {
    return this.#server.owned;
  }

  get processId(): number | null {
    return this.#server.processId;
  }

  get lost(): AbortSignal {
    return this.#server.lost;
  }

  /** Has the server start its browser. Rejects, in its words, when it cannot. */
  async open(signal: AbortSignal): Promise<void> {
    const [tool, args] = LIST_TABS;
    const answer = await this.callTool(tool, args, signal);
    if (answer.isError) throw new Error(errorText(answer));
  }

  async callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
    this.lost.throwIfAborted();
    if (this.owned && this.#config.settings.headless && traitsOf(name)?.attended) throw unattended(name);
    const { connection } = this.#server;
    try {
      const call = () => callMended((tool, given) => connection.callTool(tool, given, signal), name, args);
      const result = await (traitsOf(name)?.closesPages ? this.#server.closing(call) : call());
      if (result.isError) await this.#server.examine(result, signal);
      this.lost.throwIfAborted();
      return result;
    } catch (error) {
      this.lost.throwIfAborted();
      throw error;
    }
  }

  /**
   * A server of our own takes another root with another browser, and only then. The output folder stays the one that it
   * was started with, and of a server that is not ours the root does too.
   */
  async workIn({ root }: WorkFolders): Promise<void> {
    if (this.#server.root === undefined || this.#server.root === root) return;
    this.#server.root = root;
    await this.#succeed('browser_close', {});
    await this.#succeed(...LIST_TABS);
  }

  /** A ping of the tool server, in which the browser takes no part [000-health-03]. */
  async ping(): Promise<void> {
    await this.#server.connection.ping();
  }

  /**
   * A server that is not ours is left alone. An error is an answer too, say that a dialog has to be answered first: with
   * a browser that is stuck there is none.
   */
  async tryPage(): Promise<void> {
    if (this.owned && this.#server.tools.has(RUN_CODE)) {
      await this.callTool(RUN_CODE, { code: TRY_PAGE }, this.lost);
    }
  }

  /**
   * Asks the pages. A server that is not ours is left alone: the question would start a browser over there, and keep one
   * that is idle from being closed.
   */
  async inspect(): Promise<void> {
    if (this.owned) await this.#succeed(...LIST_TABS);
    else await this.ping();
  }

  async explain(_: ToolArguments, failure: FailureKind): Promise<FailureKind> {
    return failure;
  }

  retire(): void {}

  /**
   * Has the server close its browser; an owned one is started anew, another by the next call. Of an owned browser with a
   * profile on disk only the pages are closed, so that logins stay that last as long as the browser.
   * @throws PwpoolError `BROWSER_NOT_READY` when the server refuses, as one does that shares a context between its clients
   */
  async reset(): Promise<void> {
    if (this.owned && !this.#config.settings.isolated) {
      const closed = await this.#answer(CLOSE_PAGES_MS, RUN_CODE, {
        code: closePagesCode(this.#config.settings.permissions),
      });
      if (closed && !closed.isError) {
        for (const tool of UNDOING_TOOLS) {
          if (this.#server.tools.has(tool)) await this.#answer(QUESTION_MS, tool, {});
        }
        return;
      }
    }
    await this.#succeed('browser_close', {});
    if (this.owned) await this.#succeed(...LIST_TABS);
  }

  /**
   * Stops what the pages load, and closes those that still do not answer; without a tool for that the current page;
   * without success the browser. A server on which nothing of that works is given up.
   */
  async unblock(): Promise<boolean> {
    const done = this.#server.tools.has(RUN_CODE) ? await this.#stopLoading() : await this.#closeStuckPage();
    if (done !== undefined) return done;
    if (await this.#answer(CLOSE_MS, 'browser_close', {})) return true;
    this.#server.giveUp();
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async #stopLoading(): Promise<boolean | undefined> {
    const answer = await this.#answer(UNBLOCK_MS, RUN_CODE, { code: UNBLOCK_PAGES });
    const found = answer ? outcomeOfUnblocking(answer) : 'stuck';
    return found === 'stuck' ? undefined : found === 'closed';
  }

  async #closeStuckPage(): Promise<boolean | undefined> {
    if (await this.#answer(QUESTION_MS, 'browser_snapshot', {})) return false;
    return (await this.#answer(QUESTION_MS, 'browser_tabs', { action: 'close' })) ? true : undefined;
  }

  /** What the tool answers, an error too; `undefined` when it does not. */
  async #answer(timeoutMs: number, tool: string, args: ToolArguments): Promise<ToolResult | undefined> {
    const onTimeout = () => new PwpoolError('CALL_TIMEOUT', `${tool} was not answered.`);
    const options = {
      clock: this.#clock,
      timeoutMs: timeoutMs + this.#config.settings.timeoutSettle,
      signals: [this.lost],
      onTimeout,
    };
    return await withDeadline(options, tool, (signal) => this.callTool(tool, args, signal)).catch(
      () => undefined,
    );
  }

  /** The instance has a deadline for what it asks of its browser. */
  async #succeed(tool: string, args: ToolArguments): Promise<void> {
    const answer = await this.callTool(tool, args, this.lost);
    if (!answer.isError) return;
    const [reason] = errorText(answer).split('\n');
    throw new PwpoolError('BROWSER_NOT_READY', `${tool} failed: ${reason}`, {
      hint: this.owned
        ? undefined
        : 'A server that keeps its clients apart can do it. RESET=never does without.',
      details: { pool: this.#config.pool, instance: this.#config.id, tool },
    });
  }
}
