// @module-tag at-length
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Lease } from '../../src/pool/lease.js';
import { textOf } from '../driver/embedded-fixture.js';
import { errorOf } from '../pool/pool-fixture.js';
import { eventually } from './fixtures/eventually.js';
import { Ground } from './fixtures/ground.js';
import { MARK_PAGE, processesOf, signalAll } from './fixtures/victims.js';

let ground: Ground;
beforeEach(async () => {
  ground = await Ground.prepare();
});
afterEach(() => ground.clear());

/** Opens a page that has a process of its own, logged in. */
async function visit(lease: Lease): Promise<void> {
  await lease.callTool('browser_navigate', { url: `${ground.site.origin}/login` });
  await lease.callTool('browser_evaluate', { function: MARK_PAGE });
}

const crash = () => signalAll(processesOf('page'), 'SIGKILL');

const title = (lease: Lease) => lease.callTool('browser_evaluate', { function: '() => document.title' });

function told() {
  return {
    code: 'EXECUTION_ERROR',
    message: `The page at ${ground.site.origin}/login crashed and its content is lost.`,
    hint: 'Navigate again: the browser and its logins are kept.',
  };
}

it('a holder is told once of a page that crashed between two calls, and goes on with the logins', async () => {
  const pools = await ground.startPool({});
  await using lease = await pools.lease();
  await visit(lease);
  crash();
  await eventually(() => lease.context().pages().length, 0);
  expect(await errorOf(title(lease))).toMatchObject(told());
  expect(textOf(await title(lease))).toContain('""');
  await lease.callTool('browser_navigate', { url: `${ground.site.origin}/home` });
  expect(textOf(await lease.callTool('browser_snapshot'))).toContain('cookie: who=ada');
  expect(lease.revoked.aborted).toBe(false);
});

it('the call in which a page crashes fails with that, a navigation too', async () => {
  const pools = await ground.startPool({});
  await using lease = await pools.lease();
  for (const [tool, args] of [
    ['browser_evaluate', { function: '() => fetch("/never")' }],
    ['browser_navigate', { url: `${ground.site.origin}/never` }],
  ] as const) {
    await visit(lease);
    const call = errorOf(lease.callTool(tool, args));
    await eventually(ground.site.unanswered, 1);
    crash();
    expect(await call).toMatchObject(told());
    expect(textOf(await title(lease))).toContain('""');
    await eventually(ground.site.unanswered, 0);
  }
});

it('a crash behind what a call did ends its wait and is told in its answer; the session goes on in a new page', async () => {
  const pools = await ground.startPool({ settle: 'adaptive', timeoutSettle: 20_000 });
  await using lease = await pools.lease();
  await lease.callTool('browser_navigate', { url: `${ground.site.origin}/login` });
  const page = await lease.page();
  const session = await page.context().newCDPSession(page);
  const later = '() => { setTimeout(() => fetch("/never"), 50); return "done"; }';
  const call = lease.callTool('browser_evaluate', { function: later });
  await eventually(ground.site.unanswered, 1);
  // It has no answer: who would give it has ended.
  void session.send('Page.crash').catch(() => {});
  const answer = textOf(await call);
  expect(answer).toContain('"done"');
  expect(answer).toContain(`${told().message} ${told().hint}`);
  expect(textOf(await lease.callTool('browser_snapshot'))).toContain('about:blank');
  await lease.callTool('browser_navigate', { url: `${ground.site.origin}/home` });
  expect(textOf(await lease.callTool('browser_snapshot'))).toContain('cookie: who=ada');
});

it('a crash while nobody holds the instance is told to the next holder who counts on the page', async () => {
  const pools = await ground.startPool({});
  const crashed = async () => {
    const lease = await pools.lease({ keep: true });
    await visit(lease);
    const context = lease.context();
    await lease.release();
    crash();
    await eventually(() => context.pages().length, 0);
  };
  await crashed();
  {
    await using lease = await pools.lease({ keep: true });
    expect(await errorOf(title(lease))).toMatchObject(told());
  }
  // Who navigates anyway, or begins with a clean browser, misses nothing.
  await crashed();
  {
    await using lease = await pools.lease({ keep: true });
    await lease.callTool('browser_navigate', { url: `${ground.site.origin}/home` });
    expect(textOf(await title(lease))).toContain('"/home"');
  }
  await crashed();
  await using session = await pools.lease();
  expect(textOf(await title(session))).toContain('""');
});

it('other tabs live on', async () => {
  const pools = await ground.startPool({});
  await using lease = await pools.lease();
  // A site of its own has a process of its own.
  await lease.callTool('browser_navigate', { url: `data:text/html,<title>other</title>` });
  await lease.callTool('browser_tabs', { action: 'new' });
  await visit(lease);
  crash();
  await eventually(() => lease.context().pages().length, 1);
  expect(await errorOf(title(lease))).toMatchObject(told());
  expect(textOf(await title(lease))).toContain('"other"');
});

it('the crash of another tab fails no call on the current one: it is a line in the next answer [arch-driver-10]', async () => {
  const pools = await ground.startPool({});
  await using lease = await pools.lease();
  await visit(lease);
  await lease.callTool('browser_tabs', { action: 'new' });
  await lease.callTool('browser_navigate', { url: 'data:text/html,<title>current</title>' });
  crash();
  await eventually(() => lease.context().pages().length, 1);
  const line = `The page at ${ground.site.origin}/login, in another tab, crashed and was closed.`;
  const answer = textOf(await title(lease));
  expect(answer).toContain('"current"');
  expect(answer).toContain(line);
  expect(textOf(await title(lease))).not.toContain(line);
});
