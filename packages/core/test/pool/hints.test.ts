import { expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import { settle } from '../../src/testing/fake-clock.js';
import { sessionsOver } from '../session/session-fixture.js';
import { errorOf, poolOf, poolsOf } from './pool-fixture.js';

const RESTART = 'Ask whoever runs pwpool to restart it';
const ELSEWHERE = 'Use another pool, with start_browser or in a call without sessionId: browser_pool "SIDE".';

it('a crash says to call again only when that gets a browser [arch-error-10]', async () => {
  const { driver, pools } = await poolOf({ instances: 2, autoRestart: false });
  const leases = [await pools.lease(), await pools.lease()];
  const crash = async (id: 0 | 1) => {
    driver.browser(String(id)).calling.hold();
    const call = leases[id]?.callTool('browser_click');
    driver.browser(String(id)).crash('It ran out of memory.');
    return await errorOf(call ?? Promise.resolve());
  };
  expect(await crash(0)).toMatchObject({
    code: 'INSTANCE_CRASHED',
    hint: 'Its pages are lost. Call again, or in a program take a new lease: that gets another browser.',
  });
  const last = await crash(1);
  expect(last).toMatchObject({ code: 'INSTANCE_CRASHED', details: { lastOfPool: true } });
  expect(last.hint).toMatch(
    /^Its pages are lost, and its pool has no other browser\. Ask whoever runs pwpool/,
  );
  expect((await errorOf(pools.lease())).code).toBe('NO_HEALTHY_INSTANCES');
});

it('a session whose pool has no browser left is not told to call again [arch-error-10]', async () => {
  const { driver, start } = await sessionsOver({ instances: 1, autoRestart: false });
  const alice = await start('alice');
  driver.browser('0').calling.hold();
  const call = errorOf(alice.callTool('browser_click', {}));
  await settle();
  driver.browser('0').crash();
  const { hint } = await call;
  expect(hint).not.toContain('Call again');
  expect(hint).toContain(RESTART);
  expect(hint).toMatch(/Session 'alice' goes on once its pool has a browser again\.$/);
});

it('a pool without browsers names one that has some, and what only an operator can do [arch-error-10]', async () => {
  const { clock, driver, pools } = await poolsOf({
    MAIN: { instances: 1, isDefault: true, autoRestart: false },
    SIDE: { instances: 1 },
    DOWN: { instances: 1, autoRestart: false },
    AGAIN: { instances: 1, maxRestarts: 0 },
  });
  await pools.pool('DOWN').drain();
  driver.browser('0', 'MAIN').crash('Out of memory.');
  driver.browser('0', 'AGAIN').crash('Out of memory.');
  const hintOf = async (pool: string) => (await errorOf(pools.lease({ pool, timeoutMs: 10 }))).hint;
  expect(await hintOf('MAIN')).toBe(
    `${ELSEWHERE} ${RESTART}: this pool starts no failed browser again (AUTO_RESTART=true would). ` +
      'Why the first one failed: Out of memory.',
  );
  expect(await hintOf('AGAIN')).toContain('Try again in a minute');
  expect(await hintOf('DOWN')).toBe(`${ELSEWHERE} Only whoever runs pwpool can put it back into service.`);

  await pools.lease({ pool: 'SIDE' });
  const late = hintOf('SIDE');
  await clock.advance(10);
  expect(await late).toBe(
    'Close a session of yours that is no longer needed, or try again later. Whoever runs pwpool can raise INSTANCES or LEASE_TIMEOUT.',
  );
});

it('what a driver advises is told as the operator’s', async () => {
  const { driver, pools } = await poolOf({ instances: 1, lazy: true });
  driver.starting.fail(
    new PwpoolError('BROWSER_NOT_READY', 'It did not start.', { hint: 'Install a browser.' }),
  );
  expect((await errorOf(pools.lease())).hint).toBe('For whoever runs pwpool: Install a browser.');
});
