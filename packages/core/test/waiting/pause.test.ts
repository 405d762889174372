import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { pause } from '../../src/waiting/pause.js';

it('ends after its time, and leaves nothing on its signal', async () => {
  const [clock, { signal }] = [new FakeClock(), new AbortController()];
  const paused = pause(clock, 1000, signal);
  await clock.advance(1000);
  expect(await paused).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('ends with its signal, and leaves no timer', async () => {
  const [clock, controller] = [new FakeClock(), new AbortController()];
  const paused = pause(clock, 1000, controller.signal);
  controller.abort();
  expect(await paused).toBe(false);
  expect(clock.pendingTimers).toBe(0);
  expect(await pause(clock, 1000, controller.signal)).toBe(false);
});
