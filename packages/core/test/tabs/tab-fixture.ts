import { EventEmitter } from 'node:events';
import type { BrowserContext, Page } from 'playwright';
import { expect } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import type { InstanceConfig } from '../../src/config/model.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeStep } from '../../src/testing/fake-driver.js';

/** A page that only counts: it can be closed, and can open another one by itself. */
export class FakePage extends EventEmitter {
  readonly number: number;
  readonly closing: FakeStep;
  closed = false;

  constructor(number: number, closing: FakeStep) {
    super();
    this.number = number;
    this.closing = closing;
  }

  async close(): Promise<void> {
    await this.closing.run();
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}

/** A lease whose context has such pages, and which ends when the test says so. */
export class FakeLease {
  readonly opening = new FakeStep();
  readonly closing = new FakeStep();
  readonly pages: FakePage[] = [];
  readonly config: InstanceConfig = resolveConfig({}).pools[0]?.template ?? expect.unreachable();
  readonly #ended = new AbortController();

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Numbers of the pages that are open. */
  get open(): number[] {
    return this.pages.filter(({ closed }) => !closed).map(({ number }) => number);
  }

  context(): BrowserContext {
    this.#ended.signal.throwIfAborted();
    const newPage = async () => {
      await this.opening.run();
      return this.addPage();
    };
    return { newPage } as unknown as BrowserContext;
  }

  addPage(): FakePage {
    const page = new FakePage(this.pages.length + 1, this.closing);
    this.pages.push(page);
    return page;
  }

  release(): void {
    this.#ended.abort(new PwpoolError('LEASE_REVOKED', 'The lease was released.'));
  }

  crash(): void {
    this.#ended.abort(new PwpoolError('INSTANCE_CRASHED', 'The browser ended.'));
  }
}

/** The fake behind a page that was lent. */
export function fakeOf(page: Page): FakePage {
  return page as unknown as FakePage;
}
