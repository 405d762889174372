import type { BrowserContext } from 'playwright';
import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import type { BrowserDriver, BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError } from '../errors.js';
import type { FailureKind } from '../upstream/failure-code.js';
import type { WorkFolders } from '../upstream/workspace.js';

/**
 * One thing that a fake does, such as starting a browser. It succeeds at once unless the test holds it back or lets
 * it fail, and counts how often it was begun.
 */
export class FakeStep {
  #count = 0;
  #held = false;
  #error: Error | undefined;
  readonly #waiting: (() => void)[] = [];

  /** How often the step was begun. */
  get count(): number {
    return this.#count;
  }

  /** How many have begun and are held back. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** From now on the step pends until it is released. */
  hold(): void {
    this.#held = true;
  }

  /** Lets all that are held back go on, and later ones pass. */
  release(): void {
    this.#held = false;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Lets the earliest that is held back go on, and no other. */
  releaseNext(): void {
    this.#waiting.shift()?.();
  }

  /** From now on the step rejects; one that is held back rejects when it is released. */
  fail(error: Error): void {
    this.#error = error;
  }

  /** Undoes `fail`. */
  succeed(): void {
    this.#error = undefined;
  }

  /** What the fakes call. */
  async run(): Promise<void> {
    this.#count += 1;
    if (this.#held) await new Promise<void>((resume) => this.#waiting.push(resume));
    if (this.#error) throw this.#error;
  }
}

/** A tool call that reached a fake browser. */
export interface FakeCall {
  pool: string;
  /** Id of the instance. */
  instance: string;
  tool: string;
  args: ToolArguments;
}

/**
 * A driver whose browsers do what the test says, and nothing by themselves: it knows no time and starts no process.
 *
 * @example
 * const driver = new FakeDriver();
 * await using pools = await BrowserPools.create({}, { driver, clock: new FakeClock() });
 * driver.starting.hold(); // starts pend until driver.starting.release()
 * driver.browser('0').crash();
 */
export class FakeDriver implements BrowserDriver {
  /** Starts of browsers, of all instances. */
  readonly starting = new FakeStep();
  /** Called with each new browser before its instance has it: the place to give it a script of its own. */
  onStart: (browser: FakeBrowser) => void = () => {};
  /** Every browser that was started, the earliest first. */
  readonly browsers: FakeBrowser[] = [];
  /** Every call that reached a browser, in order of arrival. */
  readonly calls: FakeCall[] = [];
  /** What tools answer. Default: a text that names the tool and the instance that the call reached. */
  answer: (call: FakeCall) => ToolResult = ({ pool, instance, tool }) => ({
    content: [{ type: 'text', text: `${tool} on ${pool}/${instance}` }],
  });

  async start(config: InstanceConfig): Promise<FakeBrowser> {
    await this.starting.run();
    const browser = new FakeBrowser(this, config);
    this.browsers.push(browser);
    this.onStart(browser);
    return browser;
  }

  /** The latest browser of an instance; with several pools, name the pool too. */
  browser(instance: string, pool?: string): FakeBrowser {
    const browser = this.browsers.findLast(
      ({ config }) => config.id === instance && (pool === undefined || config.pool === pool),
    );
    if (!browser) throw new Error(`No browser was started for instance '${instance}'.`);
    return browser;
  }

  /** Releases every step, so that nothing is in the way of closing. */
  releaseAll(): void {
    this.starting.release();
    for (const browser of this.browsers) browser.releaseAll();
  }
}

/** A browser of a `FakeDriver`. */
export class FakeBrowser implements BrowserHandle {
  readonly owned = true;
  /** Playwright's own, where the test has one to give. */
  context: BrowserContext | undefined = undefined;
  readonly currentPage = undefined;
  readonly config: InstanceConfig;
  /** This process, which is alive, unless the test sets another. */
  processId: number | null = process.pid;
  sharedBy = 1;
  /** Where its holder's files are. */
  folders: WorkFolders | undefined = undefined;
  /** The tabs that were opened, the earliest first: their calls are told as the browser's own. */
  readonly tabs: FakeBrowser[] = [];
  /** True once nobody new is to come into the browser. */
  retired = false;
  readonly calling = new FakeStep();
  readonly explaining = new FakeStep();
  readonly pinging = new FakeStep();
  readonly trying = new FakeStep();
  readonly inspecting = new FakeStep();
  readonly resetting = new FakeStep();
  readonly unblocking = new FakeStep();
  readonly disposing = new FakeStep();
  /** Whether it takes the loss of a page to make the browser answer after a call that was given up. */
  unblockClosesPage = false;
  readonly #driver: FakeDriver;
  readonly #lost = new AbortController();
  #disposed = false;

  /** Made by a `FakeDriver` only. */
  constructor(driver: FakeDriver, config: InstanceConfig) {
    this.#driver = driver;
    this.config = config;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** True once the browser was closed. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /** The browser is gone without having been asked to close. */
  crash(message = `The browser of instance '${this.config.id}' ended unexpectedly.`): void {
    this.#lost.abort(new PwpoolError('INSTANCE_CRASHED', message));
    for (const tab of this.tabs) tab.crash(message);
  }

  async callTool(tool: string, args: ToolArguments): Promise<ToolResult> {
    const call = { pool: this.config.pool, instance: this.config.id, tool, args };
    this.#driver.calls.push(call);
    await this.calling.run();
    return this.#driver.answer(call);
  }

  /** The failure with `(explained)` behind its message. */
  async explain(_: ToolArguments, failure: FailureKind): Promise<FailureKind> {
    await this.explaining.run();
    return { ...failure, message: `${failure.message} (explained)` };
  }

  async workIn(folders: WorkFolders): Promise<void> {
    this.folders = folders;
  }

  async openTab(folders: WorkFolders): Promise<FakeBrowser> {
    const tab = new FakeBrowser(this.#driver, this.config);
    tab.folders = folders;
    this.tabs.push(tab);
    return tab;
  }

  async ping(): Promise<void> {
    await this.pinging.run();
  }

  async tryPage(): Promise<void> {
    await this.trying.run();
  }

  async inspect(): Promise<void> {
    await this.inspecting.run();
  }

  retire(): void {
    this.retired = true;
  }

  async reset(): Promise<void> {
    await this.resetting.run();
  }

  async unblock(): Promise<boolean> {
    await this.unblocking.run();
    return this.unblockClosesPage;
  }

  /** Releases every step of this browser. */
  releaseAll(): void {
    for (const step of [
      this.calling,
      this.explaining,
      this.pinging,
      this.trying,
      this.inspecting,
      this.resetting,
      this.unblocking,
      this.disposing,
    ]) {
      step.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disposing.run();
    this.#disposed = true;
  }
}
