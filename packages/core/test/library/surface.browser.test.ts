import { expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/connection/answer-text.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { toolNotFound } from '../../src/toolset/tool-not-found.js';
import { ownDirectories, startSite } from '../driver/embedded-fixture.js';
import { errorOf, poolOf, stateOf } from '../pool/pool-fixture.js';

/** One browser, as a program has it. */
async function program() {
  const { output } = await ownDirectories();
  const pools = await BrowserPools.create({
    outputDir: output,
    stateDir: `${output}/states`,
    pools: { WEB: { instances: 1, isDefault: true, isolated: true, lazy: true, timeoutSettle: 0 } },
  });
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
  });
  return { pools, sessions };
}

it('use() leases for as long as the work takes, gives its result, and releases after an error too [arch-library-01]', async () => {
  await using site = await startSite();
  const { pools } = await program();
  const title = await pools.use(async ({ page, context, lease }) => {
    await page.goto(`${site.origin}/home`);
    expect(page.context()).toBe(context);
    expect(textOf(await lease.callTool('browser_snapshot'))).toContain('/home');
    return await page.title();
  });
  expect(title).toBe('/home');
  const failing = pools.use(() => Promise.reject(new Error('of the program')), { holder: 'work' });
  await expect(failing).rejects.toThrow('of the program');
  expect(pools.status().summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
});

it('a session gives Playwright’s page and context, and ends at the end of its block [arch-library-02]', async () => {
  await using site = await startSite();
  const { pools, sessions } = await program();
  {
    await using session = (await sessions.start({ client: 'program', sessionId: 'ada' })).session;
    const page = await session.page();
    await page.goto(`${site.origin}/home`);
    expect(await session.context()).toBe(page.context());
    expect(textOf((await session.callTool('browser_snapshot', {})).result)).toContain('/home');
    await session.callTool('browser_tabs', { action: 'new', url: `${site.origin}/other` });
    expect((await session.page()).url()).toBe(`${site.origin}/other`);
  }
  expect(sessions.list('program').sessions).toEqual([]);
  expect(pools.status().summary.leased_instances).toBe(0);
});

it('a lease starts from a saved state or from one that was captured, and leaves nothing of it [arch-library-03]', {
  tags: ['at-length'],
}, async () => {
  await using site = await startSite();
  const { sessions } = await program();
  const { session } = await sessions.start({ client: 'program' });
  await (await session.page()).goto(`${site.origin}/login`);
  const from = await session.capture();
  await sessions.close('program', session.id, { save: 'ada' });

  const cookies = async (options: Parameters<SessionManager['lease']>[0]) => {
    await using lease = await sessions.lease(options);
    return (await lease.context().cookies()).map(({ name, value }) => `${name}=${value}`);
  };
  expect(await cookies({ restore: 'ada' })).toEqual(['who=ada']);
  expect(await cookies({ from })).toEqual(['who=ada']);
  expect(await cookies({})).toEqual([]);
  for (const options of [
    { restore: 'ada', from },
    { from, keep: true },
  ])
    await expect(sessions.lease(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
});

it('signal ends the wait only, endOn the lease as well [arch-library-04]', async () => {
  const { driver, pools } = await poolOf({ instances: 1 });
  const [wait, life] = [new AbortController(), new AbortController()];
  const lease = await pools.lease({ signal: wait.signal, endOn: life.signal });
  wait.abort();
  await lease.callTool('browser_snapshot');
  driver.browser('0').calling.hold();
  const call = errorOf(lease.callTool('browser_click'));
  life.abort();
  expect((await call).code).toBe('LEASE_REVOKED');
  expect(await stateOf(pools.lease())).toBe('resolved');
  expect((await errorOf(pools.lease({ endOn: life.signal }))).code).toBe('CANCELLED');
});

it('a lease obeys ALLOW_UNSAFE_CODE, in the words of the toolset [arch-library-05]', async () => {
  const name = 'browser_run_code_unsafe';
  const { driver, pools } = await poolOf({ instances: 1 });
  const error = await errorOf((await pools.lease()).callTool(name, { code: '1' }));
  expect(error.toJSON()).toEqual(toolNotFound(name, []).toJSON());
  expect(driver.calls).toEqual([]);

  const allowed = await poolOf({ instances: 1 }, { server: { allowUnsafeCode: true } });
  await (await allowed.pools.lease()).callTool(name, { code: '1' });
  expect(allowed.driver.calls).toMatchObject([{ tool: name }]);
});
