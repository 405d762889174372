import type { BrowserContext } from 'playwright';
import { expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { captureState } from '../../src/session/state/capture-state.js';
import { restoreState } from '../../src/session/state/restore-state.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { stateWith } from './state-fixture.js';

const STATE = { ...stateWith('of Ada'), pages: [{ url: 'https://shop.test/', sessionStorage: [] }] };

const never = () => new Promise<never>(() => {});
const done = async () => {};

/** What Playwright does with a page that was being made when the browser died: it never answers. */
const HANGING: Record<string, object> = {
  setStorageState: { setStorageState: never },
  newPage: { setStorageState: done, pages: () => [], newPage: never },
};

it.each(Object.entries(HANGING))('a restore whose %s hangs ends with the browser', async (_, context) => {
  const lost = new AbortController();
  const clock = new FakeClock();
  const restored = restoreState(context as BrowserContext, STATE, {
    clock,
    timeoutMs: 15_000,
    lost: lost.signal,
  });
  await settle();
  lost.abort(new PwpoolError('INSTANCE_CRASHED', 'The browser ended.'));
  await expect(restored).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
  expect(clock.pendingTimers).toBe(0);
});

it('a capture that hangs ends with the browser', async () => {
  const lost = new AbortController();
  const clock = new FakeClock();
  const context = { cookies: async () => [], pages: () => [], storageState: never };
  const captured = captureState(context as unknown as BrowserContext, {
    clock,
    timeoutMs: 15_000,
    lost: lost.signal,
  });
  await settle();
  lost.abort(new PwpoolError('INSTANCE_CRASHED', 'The browser ended.'));
  await expect(captured).rejects.toMatchObject({ code: 'INSTANCE_CRASHED' });
  expect(clock.pendingTimers).toBe(0);
});
