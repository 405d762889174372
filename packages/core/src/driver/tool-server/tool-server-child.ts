import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { reasonOf } from '../../errors.js';
import { readBrowserLog } from '../../upstream/browser-log.js';
import { WaitingLine } from '../../waiting/waiting-line.js';
import { killProcess, killProcessGroup } from '../kill-process.js';
import type { PlaywrightMcpCommand } from './playwright-mcp-command.js';

/** What is kept of a child's own words, for the message when it fails. */
const LAST_WORDS_CHARS = 600;

interface ChildOptions {
  /** Whether its browsers are processes of this system, and may be killed. */
  localBrowsers: boolean;
  /** The process has ended. @param how such as "code 1" or "signal SIGKILL" */
  onExit(how: string): void;
  /** A browser has ended, or the tool server has lost it. Closing one on purpose is told too. */
  onBrowserGone(): void;
}

/** A playwright-mcp process, with what its log tells of the browsers that it launched. */
export class ToolServerChild {
  readonly stdio: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended and all that it wrote was read. */
  readonly gone: Promise<void>;
  readonly #options: ChildOptions;
  /** Ids of the browsers that run. Each leads a process group of its own, except on Windows. */
  readonly #browsers = new Set<number>();
  #lastWords = '';
  readonly #untilIdle = new WaitingLine();

  private constructor(stdio: ChildProcessWithoutNullStreams, options: ChildOptions) {
    this.stdio = stdio;
    this.#options = options;
    this.gone = new Promise((resolve) => stdio.once('close', () => resolve()));
    stdio.once('exit', (code, signal) =>
      options.onExit(signal === null ? `code ${code}` : `signal ${signal}`),
    );
    // Later errors come of a process that is gone, of which its exit tells.
    for (const emitter of [stdio, stdio.stdin, stdio.stdout, stdio.stderr]) emitter.on('error', () => {});
    createInterface(stdio.stderr).on('line', (line) => this.#read(line));
  }

  /** Starts the process. Rejects, in words, when that fails. */
  static async spawn(
    { command, args, env }: PlaywrightMcpCommand,
    options: ChildOptions,
  ): Promise<ToolServerChild> {
    // A process group of its own: Ctrl-C is for pwpool, which then ends its browsers in order.
    const stdio = spawn(command, args, { env, detached: process.platform !== 'win32', windowsHide: true });
    await new Promise<void>((resolve, reject) => {
      stdio.once('spawn', resolve);
      stdio.once('error', (error) => reject(new Error(`${command} cannot be started: ${reasonOf(error)}`)));
    });
    return new ToolServerChild(stdio, options);
  }

  get processId(): number {
    return this.stdio.pid as number;
  }

  /** Waits until none of its browsers runs. @throws what the signal was aborted with */
  async browsersGone(signal: AbortSignal): Promise<void> {
    if (this.#browsers.size > 0) await this.#untilIdle.wait({ signal });
  }

  /** The last that it wrote to stderr besides its log. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  kill(): void {
    // Node's own, which knows that a process has ended: its id may be another's by then.
    this.stdio.kill('SIGKILL');
  }

  /** Kills what a process that did not close its browsers has left. Call it when the process is gone. */
  killBrowsers(): void {
    if (!this.#options.localBrowsers) return;
    for (const browser of this.#browsers) {
      killProcess(browser);
      killProcessGroup(browser);
    }
    this.#browsers.clear();
  }

  #read(line: string): void {
    const news = readBrowserLog(line);
    if (news === undefined) this.#lastWords = `${this.#lastWords}\n${line}`.slice(-LAST_WORDS_CHARS);
    else if (news.event === 'launched') this.#browsers.add(news.processId);
    else if (news.event === 'exited') this.#exited(news.processId);
    else if (news.event === 'disconnected') this.#options.onBrowserGone();
  }

  #exited(browser: number): void {
    this.#browsers.delete(browser);
    if (this.#options.localBrowsers) killProcessGroup(browser);
    this.#options.onBrowserGone();
    if (this.#browsers.size === 0) this.#untilIdle.serveAll();
  }
}
