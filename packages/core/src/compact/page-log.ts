import type { ConsoleMessage, Page, Request, Response } from 'playwright';
import type { Clock } from '../clock.js';
import { shortened } from './shortened.js';

export const LEVELS = ['log', 'warn', 'error', 'info'] as const;
export type Level = (typeof LEVELS)[number];

export interface LogEntry {
  level: Level;
  text: string;
  /** ISO 8601. */
  timestamp: string;
  /** Of errors: where they come from. */
  stack?: string;
}

export interface UncaughtException {
  message: string;
  timestamp: string;
  stack?: string;
}

export interface RequestEntry {
  method: string;
  url: string;
  /** HTTP status; absent while there is no answer. */
  status?: number;
  /** Why there will be none. */
  failure?: string;
  timestamp: string;
}

/** Characters kept of one text. */
const MAX_TEXT = 1_000;

/** Characters kept of each kind: beyond it the oldest go. It also bounds what a read answers. */
const MAX_KEPT = 20_000;

/** The entries of one kind, the latest of them. */
class Buffer<Entry extends object> {
  #entries: { entry: Entry; size: number }[] = [];
  #size = 0;
  #dropped = 0;

  add(entry: Entry): void {
    const size = JSON.stringify(entry).length;
    this.#entries.push({ entry, size });
    this.#size += size;
    while (this.#size > MAX_KEPT) {
      this.#size -= this.#entries.shift()?.size ?? 0;
      this.#dropped += 1;
    }
  }

  /** The entries that fit, oldest first, and how many older ones were not kept. They are gone from here. */
  take(fits: (entry: Entry) => boolean = () => true): { entries: Entry[]; dropped: number } {
    const taken = this.#entries.filter(({ entry }) => fits(entry));
    this.#entries = this.#entries.filter(({ entry }) => !fits(entry));
    this.#size = this.#entries.reduce((sum, { size }) => sum + size, 0);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { entries: taken.map(({ entry }) => entry), dropped };
  }
}

/**
 * What the pages of a session logged, threw and requested, from the moment each opened until it is read [002-life-05].
 */
export class PageLog {
  readonly #clock: Clock;
  #console = new Buffer<LogEntry>();
  #uncaught = new Buffer<UncaughtException>();
  #requests = new Buffer<RequestEntry>();
  #entries = new WeakMap<Request, RequestEntry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns what ends the watch */
  watch(page: Page): () => void {
    const onConsole = (message: ConsoleMessage) => this.#console.add(this.#entryOf(message));
    const onError = (error: Error) => this.#uncaught.add(this.#exceptionOf(error));
    const onRequest = (request: Request) => this.#began(request);
    const onResponse = (response: Response) => {
      const entry = this.#entries.get(response.request());
      if (entry) entry.status = response.status();
    };
    const onFailed = (request: Request) => {
      const entry = this.#entries.get(request);
      if (entry) entry.failure = request.failure()?.errorText ?? 'failed';
    };
    page.on('console', onConsole);
    page.on('pageerror', onError);
    page.on('request', onRequest);
    page.on('response', onResponse);
    page.on('requestfailed', onFailed);
    return () => {
      page.off('console', onConsole);
      page.off('pageerror', onError);
      page.off('request', onRequest);
      page.off('response', onResponse);
      page.off('requestfailed', onFailed);
    };
  }

  takeConsole(level?: Level) {
    return this.#console.take(({ level: of }) => level === undefined || of === level);
  }

  takeUncaught() {
    return this.#uncaught.take();
  }

  takeRequests() {
    return this.#requests.take();
  }

  clear(): void {
    this.#console = new Buffer();
    this.#uncaught = new Buffer();
    this.#requests = new Buffer();
    this.#entries = new WeakMap();
  }

  #entryOf(message: ConsoleMessage): LogEntry {
    const level = levelOf(message.type());
    const [text, stack] = withoutStack(message.text());
    const { url, lineNumber, columnNumber } = message.location();
    const place = url === '' ? undefined : `at ${url}:${lineNumber + 1}:${columnNumber + 1}`;
    return {
      level,
      text,
      timestamp: this.#now(),
      ...stackOf(level === 'error' ? (stack ?? place) : undefined),
    };
  }

  #exceptionOf({ name, message, stack = '' }: Error): UncaughtException {
    // What is thrown need not be an Error.
    const text = name === '' || name === 'Error' ? message : `${name}: ${message}`;
    const [, lines] = withoutStack(stack);
    return { message: shortened(text, MAX_TEXT), timestamp: this.#now(), ...stackOf(lines) };
  }

  #began(request: Request): void {
    const entry = {
      method: request.method(),
      url: shortened(request.url(), MAX_TEXT),
      timestamp: this.#now(),
    };
    this.#entries.set(request, entry);
    this.#requests.add(entry);
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function levelOf(type: string): Level {
  if (type === 'warning') return 'warn';
  if (type === 'assert') return 'error';
  return LEVELS.find((level) => level === type) ?? 'log';
}

/** A text, and the lines behind it that say where it comes from. */
function withoutStack(text: string): [text: string, stack: string | undefined] {
  const at = text.search(/\n\s+at /);
  if (at < 0) return [shortened(text, MAX_TEXT), undefined];
  return [shortened(text.slice(0, at), MAX_TEXT), text.slice(at).replace(/\n\s+/g, '\n').trim()];
}

function stackOf(stack: string | undefined): { stack?: string } {
  return stack === undefined ? {} : { stack: shortened(stack, MAX_TEXT) };
}
