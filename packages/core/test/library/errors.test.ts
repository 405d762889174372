import { expect, it } from 'vitest';
import { ERROR_CODES, PwpoolError } from '../../src/errors.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { FakeDriver } from '../../src/testing/fake-driver.js';

it('every error is a PwpoolError: a code to branch on, a message, whether to try again, and what to do [arch-error-01]', async () => {
  const clock = new FakeClock();
  const create = (input: object) => BrowserPools.create(input, { clock, driver: new FakeDriver() });
  await using pools = await create({ pools: { WEB: { instances: 1, isDefault: true, lazy: true } } });
  const held = await pools.lease();
  const waiting = pools.lease({ timeoutMs: 50 }).catch((error: unknown) => error);
  await clock.advance(50);
  await held.release();

  const failures: [string, boolean, unknown][] = [
    ['CONFIG_INVALID', false, await create({ pools: { WEB: {} } }).catch((error: unknown) => error)],
    ['POOL_NOT_FOUND', false, await pools.lease({ pool: 'NONE' }).catch((error: unknown) => error)],
    ['INSTANCE_NOT_FOUND', false, await pools.lease({ instance: '7' }).catch((error: unknown) => error)],
    ['LEASE_TIMEOUT', true, await waiting],
    ['LEASE_REVOKED', true, await held.callTool('browser_snapshot').catch((error: unknown) => error)],
  ];
  for (const [code, retryable, error] of failures) {
    expect(error).toBeInstanceOf(PwpoolError);
    expect(ERROR_CODES).toContain(code);
    expect(error).toMatchObject({ code, retryable, message: expect.stringMatching(/\w/) });
  }
  for (const [, , error] of failures.slice(1)) {
    expect(error).toMatchObject({ hint: expect.stringMatching(/\w/) });
  }
});
