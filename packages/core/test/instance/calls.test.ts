import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/connection/answer-text.js';
import { PwpoolError } from '../../src/errors.js';
import { NO_OPEN_TABS } from '../../src/instance/browser-call.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';
import { instanceOf, startedInstance } from './instance-fixture.js';

const TIMEOUTS = { timeout: 10_000, timeoutNavigation: 4_000 };

describe('a call', () => {
  it('reaches the browser with its arguments', async () => {
    const { driver, held } = await startedInstance();
    const result = await held.callTool('browser_click', { ref: 'e5' });
    expect(result.content).toEqual([{ type: 'text', text: 'browser_click on DEFAULT/0' }]);
    expect(driver.calls).toEqual([
      { pool: 'DEFAULT', instance: '0', tool: 'browser_click', args: { ref: 'e5' } },
    ]);
  });

  it('without a running browser says so', async () => {
    const { held } = instanceOf();
    const error = await errorOf(held.callTool('browser_click', {}));
    expect(error.code).toBe('BROWSER_NOT_READY');
    expect(error.message).toBe("Instance '0' of pool 'DEFAULT' has no running browser.");
  });

  it('whose tool failed is a result, and leaves the page alone', async () => {
    const { driver, held } = await startedInstance();
    driver.answer = () => ({ isError: true, content: [{ type: 'text', text: 'No element e5.' }] });
    expect((await held.callTool('browser_click', {})).isError).toBe(true);
    expect(driver.browser('0').unblocking.count).toBe(0);
  });

  it('that failed looks at the page only where the page can tell more, and not for longer than a moment [arch-failure-03]', async () => {
    const { driver, held, clock } = await startedInstance();
    const { explaining } = driver.browser('0');
    const failing = async (text: string) => {
      driver.answer = () => ({ isError: true, content: [{ type: 'text', text: `### Error\n${text}` }] });
      return textOf(await held.callTool('browser_click', {}));
    };
    expect(await failing('Error: "#a" does not match any elements.')).toContain('elements. (explained)\n');
    expect(await failing('Error: Unknown key: "Nope"')).not.toContain('explained');
    explaining.hold();
    const slow = failing('Error: "#a" does not match any elements.');
    await settle();
    await clock.advance(5_000);
    expect(await slow).toMatch(
      /ELEMENT_NOT_FOUND: "#a" does not match any elements\.\nTake browser_snapshot/,
    );
    expect(explaining.count).toBe(2);
  });

  it('rejects at once when the browser is lost, and does not touch what is gone [000-runtime-01]', async () => {
    const { driver, held } = await startedInstance();
    const browser = driver.browser('0');
    browser.calling.hold();
    const call = held.callTool('browser_click', {});
    browser.crash();
    expect((await errorOf(call)).code).toBe('INSTANCE_CRASHED');
    expect(browser.unblocking.count).toBe(0);
  });

  it('whose tool failed for the lack of a browser is a crash, not a result', async () => {
    const { driver, held } = await startedInstance();
    const browser = driver.browser('0');
    driver.answer = () => {
      // The driver is told of the end a moment after the tool has noticed.
      setImmediate(() => browser.crash());
      return {
        isError: true,
        content: [{ type: 'text', text: 'Target closed: /usr/bin/chromium --secret' }],
      };
    };
    expect((await errorOf(held.callTool('browser_click', {}))).code).toBe('INSTANCE_CRASHED');
  });

  it('that is refused before it reaches the page, or was given up before, leaves the page alone', async () => {
    const { driver, held } = await startedInstance();
    const refused = new PwpoolError('ELEMENT_NOT_FOUND', 'That is an old reference.');
    driver.browser('0').calling.fail(refused);
    expect(await errorOf(held.callTool('browser_click', {}))).toBe(refused);
    const given = AbortSignal.abort();
    expect((await errorOf(held.callTool('browser_click', {}, given))).code).toBe('CANCELLED');
    expect((await errorOf(held.callTool('browser_close', {}, given))).code).toBe('CANCELLED');
    expect(driver.browser('0').unblocking.count).toBe(0);
    expect(driver.browser('0').resetting.count).toBe(0);
  });

  it('that its caller gives up is cancelled, and the page is made to answer first [arch-error-07]', async () => {
    const { driver, held } = await startedInstance();
    const browser = driver.browser('0');
    const controller = new AbortController();
    browser.calling.hold();
    browser.unblocking.hold();
    const call = held.callTool('browser_click', {}, controller.signal);
    controller.abort();
    expect(await stateOf(call)).toBe('pending');
    browser.unblocking.release();
    expect((await errorOf(call)).code).toBe('CANCELLED');
  });
});

describe('the deadline of a call', () => {
  it.each([
    ['browser_navigate', { url: 'http://slow.test/' }, 4_000, 'NAVIGATION_TIMEOUT'],
    ['browser_navigate_back', {}, 4_000, 'NAVIGATION_TIMEOUT'],
    ['browser_click', { ref: 'e5' }, 10_000, 'CALL_TIMEOUT'],
    ['browser_wait_for', { time: 30 }, 40_000, 'CALL_TIMEOUT'],
  ])('%s %j: %i ms, %s', async (tool, args, timeoutMs, code) => {
    const { clock, driver, instance, held } = await startedInstance(TIMEOUTS);
    const browser = driver.browser('0');
    browser.calling.hold();
    const call = held.callTool(tool, args);
    await clock.advance(timeoutMs - 1);
    expect(await stateOf(call)).toBe('pending');
    await clock.advance(1);
    expect((await errorOf(call)).code).toBe(code);
    expect(browser.unblocking.count).toBe(1);
    expect(instance.state).toBe('healthy');
  });

  it('tells when the page had to be closed, and keeps the code', async () => {
    const { clock, driver, held } = await startedInstance(TIMEOUTS);
    driver.browser('0').calling.hold();
    driver.browser('0').unblockClosesPage = true;
    const call = errorOf(held.callTool('browser_evaluate', {}));
    await clock.advance(10_000);
    const error = await call;
    expect(error.code).toBe('CALL_TIMEOUT');
    expect(error.message).toContain('browser_evaluate did not finish within 10000 ms');
    expect(error.message).toContain('was closed');
    expect(error.details).toMatchObject({ pageClosed: true });
  });

  it('says nothing of a browser that is kept to who has lost the lease', async () => {
    const { driver, held } = await startedInstance(TIMEOUTS);
    driver.browser('0').calling.hold();
    driver.browser('0').unblockClosesPage = true;
    const lease = new AbortController();
    const call = errorOf(held.callTool('browser_click', {}, lease.signal));
    await settle();
    const revoked = new PwpoolError('LEASE_REVOKED', 'Too long.', { hint: 'Take a new lease.' });
    lease.abort(revoked);
    expect(await call).toBe(revoked);
  });

  it('is not needed by a call that ends in time', async () => {
    const { clock, driver, held } = await startedInstance(TIMEOUTS);
    driver.browser('0').calling.hold();
    const call = held.callTool('browser_click', {});
    await clock.advance(9_999);
    driver.browser('0').calling.release();
    await call;
    expect(clock.pendingTimers).toBe(0);
    expect(driver.browser('0').unblocking.count).toBe(0);
  });
});

const CLEAN = { isolated: true };

describe('browser_close of an isolated instance', () => {
  it('gives a fresh context and does not reach the tools', async () => {
    const { driver, instance, held } = await startedInstance(CLEAN);
    const result = await held.callTool('browser_close', {});
    expect(result.isError).toBeFalsy();
    expect(driver.browser('0').resetting.count).toBe(1);
    expect(driver.calls).toEqual([]);
    expect(instance.state).toBe('healthy');
  });

  it('has the deadline of a call', async () => {
    const { clock, driver, held } = await startedInstance({ ...TIMEOUTS, ...CLEAN });
    driver.browser('0').resetting.hold();
    const call = errorOf(held.callTool('browser_close', {}));
    await clock.advance(10_000);
    expect((await call).code).toBe('CALL_TIMEOUT');
  });

  it('is not left before its end by a caller who gives it up: it is not to come upon the next holder', async () => {
    const { driver, held } = await startedInstance({ ...TIMEOUTS, ...CLEAN });
    driver.browser('0').resetting.hold();
    const controller = new AbortController();
    const call = held.callTool('browser_close', {}, controller.signal);
    controller.abort();
    expect(await stateOf(call)).toBe('pending');
    driver.browser('0').resetting.release();
    expect((await call).isError).toBeFalsy();
  });

  it('rejects at once when the browser is lost', async () => {
    const { driver, held } = await startedInstance(CLEAN);
    driver.browser('0').resetting.hold();
    const call = held.callTool('browser_close', {});
    driver.browser('0').crash();
    expect(await stateOf(call)).toBe('INSTANCE_CRASHED');
  });
});

const PROFILE = { isolated: false };

describe('browser_close of an instance with a profile on disk', () => {
  it('closes the browser, which is no loss, and the next call starts it again with the folders it had [002-close-02]', async () => {
    const { driver, instance, held, lost } = await startedInstance(PROFILE);
    expect((await held.callTool('browser_close', {})).content).toEqual(NO_OPEN_TABS.content);
    expect(instance).toMatchObject({ state: 'stopped', browser: undefined, startedAt: null });
    expect(driver.browser('0').resetting.count).toBe(0);
    expect(driver.calls).toEqual([]);

    await Promise.all([held.callTool('browser_click', {}), held.callTool('browser_snapshot', {})]);
    expect(instance.state).toBe('healthy');
    expect(driver.browsers.length).toBe(2);
    expect(driver.browser('0').folders).toEqual({ root: '/root', outputDir: '/out' });
    expect(lost).toEqual([]);
  });

  it('does not start the browser for a second browser_close, a reset or a probe', async () => {
    const { driver, instance, held } = await startedInstance(PROFILE);
    await held.callTool('browser_close', {});
    await held.callTool('browser_close', {});
    await instance.reset();
    expect(await instance.probe(1_000, () => true)).toBe(false);
    expect(instance.state).toBe('stopped');
    expect(driver.browsers.length).toBe(1);
  });

  it('a start that fails is told to the call, and the next call tries again', async () => {
    const { driver, instance, held } = await startedInstance(PROFILE);
    await held.callTool('browser_close', {});
    driver.starting.fail(new PwpoolError('BROWSER_NOT_READY', 'The profile is in use.'));
    expect((await errorOf(held.callTool('browser_click', {}))).message).toContain('The profile is in use.');
    expect(instance).toMatchObject({ state: 'stopped', startFailed: true });
    driver.starting.succeed();
    await held.callTool('browser_click', {});
    expect(instance.state).toBe('healthy');
  });
});

describe('a probe', () => {
  it('makes an instance suspect that does not answer in time, and healthy again [000-health-04, arch-instance-04]', async () => {
    const { clock, driver, instance } = await startedInstance();
    driver.browser('0').pinging.hold();
    const missed = instance.probe(5_000, () => false);
    await clock.advance(5_000);
    expect(await missed).toBe(false);
    expect(instance.state).toBe('suspect');
    expect(instance.health).toEqual({
      lastCheck: clock.now(),
      responsive: false,
      error: 'No answer to the health check within 5000 ms.',
    });

    driver.browser('0').pinging.release();
    expect(await instance.probe(5_000, () => false)).toBe(true);
    expect(instance.state).toBe('healthy');
    expect(instance.health).toEqual({ lastCheck: clock.now(), responsive: true, error: null });
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the reason that the browser gave', async () => {
    const { driver, instance } = await startedInstance();
    driver.browser('0').pinging.fail(new Error('Protocol error: target closed'));
    expect(await instance.probe(5_000, () => false)).toBe(false);
    expect(instance.health.error).toBe('Protocol error: target closed');
  });

  it('finds that the process is gone, without asking it [000-health-02]', async () => {
    const { driver, instance } = await startedInstance();
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    driver.browser('0').processId = child.pid ?? null;
    expect(await instance.probe(5_000, () => false)).toBe(false);
    expect(instance.state).toBe('suspect');
    expect(driver.browser('0').pinging.count).toBe(0);
  });

  it('does without a process id', async () => {
    const { driver, instance } = await startedInstance();
    driver.browser('0').processId = null;
    expect(await instance.probe(5_000, () => false)).toBe(true);
  });

  it('of an instance without a browser does nothing', async () => {
    const { instance } = instanceOf();
    expect(await instance.probe(5_000, () => false)).toBe(false);
    expect(instance.state).toBe('stopped');
    expect(instance.health.lastCheck).toBeNull();
  });

  it('of a browser that was replaced meanwhile says nothing about the new one', async () => {
    const { clock, driver, instance } = await startedInstance();
    driver.browser('0').pinging.hold();
    const probe = instance.probe(5_000, () => false);
    await instance.abandon('It does not answer.');
    await instance.start();
    await clock.advance(5_000);
    expect(await probe).toBe(false);
    expect(instance.state).toBe('healthy');
    expect(instance.health.error).toBeNull();
  });

  it('opens a page after a call without an answer, although somebody holds the instance, until that is well', async () => {
    const { clock, driver, instance, held } = await startedInstance(TIMEOUTS);
    const browser = driver.browser('0');
    const probe = () => instance.probe(5_000, () => false);
    expect(await probe()).toBe(true);
    expect(browser.trying.count).toBe(0);

    browser.calling.hold();
    const call = errorOf(held.callTool('browser_take_screenshot', {}));
    await clock.advance(10_000);
    expect((await call).code).toBe('CALL_TIMEOUT');
    browser.trying.hold();
    for (const missed of [1, 2]) {
      const probed = probe();
      await clock.advance(5_000);
      expect(await probed).toBe(false);
      expect(browser.trying.count).toBe(missed);
    }
    browser.trying.release();
    expect(await probe()).toBe(true);
    expect(await probe()).toBe(true);
    expect(browser.trying.count).toBe(3);
    expect(browser.inspecting.count).toBe(0);
  });

  it('under way when the instance closes leaves no timer', async () => {
    const { clock, driver, instance } = await startedInstance();
    driver.browser('0').pinging.hold();
    const probe = instance.probe(5_000, () => false);
    await instance.close();
    await settle();
    expect(clock.pendingTimers).toBe(0);
    expect(await probe).toBe(false);
  });
});

describe('reset', () => {
  it('is nothing when no browser runs', async () => {
    const { instance } = instanceOf();
    await instance.reset();
  });

  it('has START_TIMEOUT as its deadline', async () => {
    const { clock, driver, instance } = await startedInstance({ startTimeout: 7_000 });
    driver.browser('0').resetting.hold();
    const reset = instance.reset();
    await clock.advance(6_999);
    expect(await stateOf(reset)).toBe('pending');
    await clock.advance(1);
    expect(await stateOf(reset)).toBe('BROWSER_NOT_READY');
  });

  it('ends at once when the browser is lost', async () => {
    const { driver, instance } = await startedInstance();
    driver.browser('0').resetting.hold();
    const reset = instance.reset();
    driver.browser('0').crash();
    expect(await stateOf(reset)).toBe('INSTANCE_CRASHED');
  });

  it('passes the reason of a failure on', async () => {
    const { driver, instance } = await startedInstance();
    driver.browser('0').resetting.fail(new PwpoolError('EXECUTION_ERROR', 'No new context.'));
    expect((await errorOf(instance.reset())).message).toBe('No new context.');
  });
});
