import { describe, expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { type InstanceState, mayBecome } from '../../src/instance/instance-state.js';
import { settle } from '../../src/testing/fake-clock.js';
import { errorOf, stateOf } from '../pool/pool-fixture.js';
import { instanceOf, startedInstance } from './instance-fixture.js';

const NOT_READY = new PwpoolError('BROWSER_NOT_READY', 'No chromium was found on this machine.');

describe('states', () => {
  const legal: Record<InstanceState, InstanceState[]> = {
    stopped: ['starting', 'draining'],
    starting: ['healthy', 'failed', 'draining'],
    healthy: ['suspect', 'failed', 'draining'],
    suspect: ['healthy', 'failed', 'draining'],
    failed: ['starting', 'stopped', 'draining'],
    draining: ['stopped'],
  };
  const states = Object.keys(legal) as InstanceState[];

  it.each(states)('from %s only along the arrows', (from) => {
    expect(states.filter((to) => mayBecome(from, to)).sort()).toEqual([...legal[from]].sort());
  });
});

describe('start', () => {
  it('is shared by all who ask meanwhile [arch-instance-02]', async () => {
    const { driver, instance } = instanceOf();
    driver.starting.hold();
    const starts = [instance.start(), instance.start(), instance.start()];
    expect(instance.state).toBe('starting');
    driver.starting.release();
    await Promise.all(starts);
    await instance.start();
    expect(driver.starting.count).toBe(1);
    expect(instance.state).toBe('healthy');
    expect(instance.browser?.processId).toBe(process.pid);
  });

  it('that fails, fails for all who share it, and may be tried again', async () => {
    const { clock, driver, instance } = instanceOf();
    driver.starting.fail(NOT_READY);
    const errors = await Promise.all([errorOf(instance.start()), errorOf(instance.start())]);
    expect(errors).toEqual([NOT_READY, NOT_READY]);
    expect(instance.state).toBe('failed');
    expect(instance.health).toEqual({
      lastCheck: clock.now(),
      responsive: false,
      error: 'No chromium was found on this machine.',
    });

    driver.starting.succeed();
    await instance.start();
    expect(instance.state).toBe('healthy');
    expect(instance.health).toEqual({ lastCheck: clock.now(), responsive: true, error: null });
  });

  it('that gives a browser which is gone already has failed, and is told once', async () => {
    const { driver, instance, lost } = instanceOf();
    driver.starting.hold();
    const started = errorOf(instance.start());
    driver.onStart = (browser) => browser.crash();
    driver.starting.release();
    expect((await started).code).toBe('INSTANCE_CRASHED');
    expect(instance.state).toBe('failed');
    expect(lost).toEqual([]);
    await settle();
    expect(driver.browser('0').disposed).toBe(true);
  });
});

describe('a browser that is gone', () => {
  it('fails the instance, tells the owner once, and is cleared away', async () => {
    const { driver, instance, lost } = await startedInstance();
    const browser = driver.browser('0');
    browser.crash('The browser ended.');
    browser.crash('again');
    expect(instance.state).toBe('failed');
    expect(instance.browser).toBeUndefined();
    expect(instance.health.error).toBe('The browser ended.');
    expect(lost.map(({ code }) => code)).toEqual(['INSTANCE_CRASHED']);
    await settle();
    expect(browser.disposed).toBe(true);
  });

  it('is of no concern any more once it was replaced', async () => {
    const { driver, instance, lost } = await startedInstance();
    const first = driver.browser('0');
    await instance.abandon('It does not answer.');
    await instance.start();
    first.crash();
    expect(instance.state).toBe('healthy');
    expect(lost).toEqual([]);
  });
});

describe('close', () => {
  it('disposes of the browser, for good, and may be called again', async () => {
    const { driver, instance, held } = await startedInstance();
    await Promise.all([instance.close(), instance.close()]);
    expect(instance.state).toBe('stopped');
    expect(driver.browser('0').disposing.count).toBe(1);
    expect((await errorOf(instance.start())).code).toBe('SHUTTING_DOWN');
    expect((await errorOf(held.callTool('browser_click', {}))).code).toBe('SHUTTING_DOWN');
  });

  it('during a start waits for the browser and disposes of it', async () => {
    const { driver, instance } = instanceOf();
    driver.starting.hold();
    const started = errorOf(instance.start());
    await settle();
    const closed = instance.close();
    expect(await stateOf(closed)).toBe('pending');
    driver.starting.release();
    await closed;
    expect((await started).code).toBe('SHUTTING_DOWN');
    expect(driver.browser('0').disposed).toBe(true);
    expect(instance.state).toBe('stopped');
  });

  it('during a start that fails', async () => {
    const { driver, instance } = instanceOf();
    driver.starting.hold();
    const started = errorOf(instance.start());
    await settle();
    const closed = instance.close();
    driver.starting.fail(NOT_READY);
    driver.starting.release();
    await closed;
    expect((await started).code).toBe('SHUTTING_DOWN');
    expect(instance.state).toBe('stopped');
  });

  it('of an instance that never ran', async () => {
    const { instance } = instanceOf();
    await instance.close();
    expect(instance.state).toBe('stopped');
  });

  it('of a browser that does not close properly tells why, and ends in stopped all the same', async () => {
    const { driver, instance } = await startedInstance();
    driver.browser('0').disposing.fail(new Error('The profile is locked.'));
    await expect(instance.close()).rejects.toThrow('The profile is locked.');
    expect(instance.state).toBe('stopped');
    driver.browser('0').disposing.succeed();
    await driver.browser('0')[Symbol.asyncDispose]();
  });

  it('is not told as a crash', async () => {
    const { driver, instance, lost } = await startedInstance();
    const browser = driver.browser('0');
    browser.disposing.hold();
    const closed = instance.close();
    browser.crash();
    browser.disposing.release();
    await closed;
    expect(lost).toEqual([]);
  });
});
