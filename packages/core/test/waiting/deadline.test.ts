import { EventEmitter, getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { withDeadline, within } from '../../src/waiting/deadline.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const onTimeout = () => new PwpoolError('CALL_TIMEOUT', 'Too late.');
const never = () => new Promise<never>(() => {});

describe('withDeadline', () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  afterEach(() => process.off('warning', note));

  it('gives what the work gives, and leaves neither timer nor listener', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const options = { clock, timeoutMs: 100, signals: [signal, undefined], onTimeout };
    const waiting = withDeadline(options, 'work', async () => 'done');
    expect(clock.pendingTimers).toBe(1);
    expect(listeners(signal)).toBe(1);
    expect(await waiting).toBe('done');
    await settle();
    expect(clock.pendingTimers).toBe(0);
    expect(listeners(signal)).toBe(0);
  });

  it('passes the error of the work on, and leaves no timer', async () => {
    const clock = new FakeClock();
    const error = new PwpoolError('EXECUTION_ERROR', 'It broke.');
    const waiting = withDeadline({ clock, timeoutMs: 100, onTimeout }, 'work', () => Promise.reject(error));
    expect(await errorOf(waiting)).toBe(error);
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends at the deadline to the millisecond, and tells the work', async () => {
    const clock = new FakeClock();
    let told: unknown;
    const waiting = withDeadline({ clock, timeoutMs: 100, onTimeout }, 'work', async (signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return await never();
    });
    await clock.advance(99);
    expect(await stateOf(waiting)).toBe('pending');
    await clock.advance(1);
    const error = await errorOf(waiting);
    expect(error.code).toBe('CALL_TIMEOUT');
    expect(told).toBe(error);
  });

  it.each([0, 1])('ends when signal %i of two aborts', async (which) => {
    const clock = new FakeClock();
    const controllers = [new AbortController(), new AbortController()];
    const signals = controllers.map(({ signal }) => signal);
    const waiting = withDeadline({ clock, timeoutMs: 100, signals, onTimeout }, 'The search', never);
    controllers[which]?.abort();
    const error = await errorOf(waiting);
    expect(error.code).toBe('CANCELLED');
    expect(error.message).toBe('The search was cancelled by its caller.');
    expect(clock.pendingTimers).toBe(0);
    expect(signals.map(listeners)).toEqual([0, 0]);
  });

  it('keeps the PwpoolError that a signal was aborted with', async () => {
    const controller = new AbortController();
    const crash = new PwpoolError('INSTANCE_CRASHED', 'Gone.');
    const options = { clock: new FakeClock(), timeoutMs: 100, signals: [controller.signal], onTimeout };
    const waiting = withDeadline(options, 'work', never);
    controller.abort(crash);
    expect(await errorOf(waiting)).toBe(crash);
  });

  it('does not begin the work when a signal has aborted already', async () => {
    const clock = new FakeClock();
    let begun = false;
    const options = { clock, timeoutMs: 100, signals: [AbortSignal.abort()], onTimeout };
    const waiting = withDeadline(options, 'work', async () => {
      begun = true;
    });
    expect((await errorOf(waiting)).code).toBe('CANCELLED');
    expect(begun).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('may be used by many under one signal, without a warning', async () => {
    process.on('warning', note);
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const options = { clock, timeoutMs: 100, signals: [signal], onTimeout };
    const waits = Array.from({ length: 20 }, () => errorOf(withDeadline(options, 'work', never)));
    await clock.advance(100);
    await Promise.all(waits);
    await settle();
    expect(warnings).toEqual([]);
    expect(EventEmitter.defaultMaxListeners).toBe(10);
  });

  it('is not disturbed by work that fails after the deadline', async () => {
    const clock = new FakeClock();
    let fail = (_error: Error) => {};
    const work = () =>
      new Promise<never>((_, reject) => {
        fail = reject;
      });
    const waiting = withDeadline({ clock, timeoutMs: 100, onTimeout }, 'work', work);
    await Promise.all([errorOf(waiting), clock.advance(100)]);
    fail(new Error('late, and seen by nobody'));
    await settle();
  });
});

describe('within', () => {
  it('gives what the work gives, else what it is told, and leaves no timer', async () => {
    const clock = new FakeClock();
    expect(await within(clock, 100, async () => 'done', 'not done')).toBe('done');
    expect(await within(clock, 100, () => Promise.reject(new Error('It broke.')), 'not done')).toBe(
      'not done',
    );
    const late = within(clock, 100, never, 'not done');
    await clock.advance(100);
    expect(await late).toBe('not done');
    expect(clock.pendingTimers).toBe(0);
  });
});
