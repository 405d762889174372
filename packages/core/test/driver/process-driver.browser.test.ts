import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ToolArguments } from '../../src/connection/tool-connection.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { isRunning } from '../connection/fixtures/processes.js';
import { browserOf, startProcess } from './process-driver-fixture.js';

/** `/store` keeps a cookie and an item, `/silent` never answers. */
async function site() {
  let reached = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/silent') return reached();
    response.setHeader('content-type', 'text/html');
    if (request.url !== '/store') return response.end('<title>plain</title>');
    response.setHeader('set-cookie', 'sid=of-a-session');
    response.end('<title>store</title><script>localStorage.item = "kept"</script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached: () =>
      new Promise<void>((resolve) => {
        reached = resolve;
      }),
  };
}

const STORED = { function: '() => [document.cookie, localStorage.item].join()' };

it('[arch-driver-05] serves a child playwright-mcp with a browser of its own, and reset leaves nothing of the last holder', {
  tags: ['at-length'],
}, async () => {
  const { url } = await site();
  const { browser, directory, pid, call } = await startProcess();
  expect(browser).toMatchObject({ owned: true, sharedBy: 1, context: undefined });
  expect(isRunning(pid)).toBe(true);
  await browser.ping();
  await browser.inspect();

  expect(await call('browser_navigate', { url: `${url}/store` })).toContain(join(directory, 'WEB-0'));
  expect(await call('browser_evaluate', STORED)).toContain('"sid=of-a-session,kept"');
  await browser.reset(new AbortController().signal);
  expect(await call('browser_tabs', { action: 'list' })).toContain('0: (current) [](about:blank)');
  await call('browser_navigate', { url });
  expect(await call('browser_evaluate', STORED)).toContain('","');
  // As a client may close it; the next call then has a browser again.
  await call('browser_close');
  expect(await call('browser_tabs', { action: 'list' })).toContain('about:blank');
  expect(browser.lost.aborted).toBe(false);
});

it('with a profile on disk a reset closes the pages and other contexts, and keeps the login', {
  tags: ['at-length'],
}, async () => {
  const { url } = await site();
  const { browser, directory, pid, call } = await startProcess({ isolated: false }, new FakeClock());
  await access(join(directory, 'profiles', 'WEB', '0'));
  await call('browser_navigate', { url: `${url}/store` });
  await call('browser_tabs', { action: 'new', isolatedContext: 'other', url: `${url}/store` });
  const launched = browserOf(pid);
  await browser.reset(new AbortController().signal);
  expect(await call('browser_tabs', { action: 'list' })).toBe('### Result\n- 0: (current) [](about:blank)');
  await call('browser_tabs', { action: 'new', isolatedContext: 'other', url });
  expect(await call('browser_evaluate', STORED)).toContain('","');
  await call('browser_tabs', { action: 'close' });
  await call('browser_navigate', { url });
  expect(await call('browser_evaluate', STORED)).toContain('"sid=of-a-session,kept"');
  expect(browserOf(pid)).toBe(launched);

  // A dialog keeps code from being run: then the browser is started anew, with its profile.
  await call('browser_evaluate', { function: '() => alert(1)' });
  await browser.reset(new AbortController().signal);
  await call('browser_navigate', { url });
  expect(await call('browser_evaluate', STORED)).toContain(',kept"');
  expect(browserOf(pid)).not.toBe(launched);
  expect(browser.lost.aborted).toBe(false);
});

it('after a call that was given up the page answers again; one that is stuck for good is closed', {
  tags: ['at-length'],
}, async () => {
  const { url, reached } = await site();
  const { browser, call } = await startProcess({}, new FakeClock());
  const giveUp = async (tool: string, args: ToolArguments) => {
    const controller = new AbortController();
    const arrived = reached().then(() => controller.abort(new PwpoolError('CANCELLED', 'Enough.')));
    await expect(browser.callTool(tool, args, controller.signal)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    await arrived;
  };
  await call('browser_navigate', { url: `${url}/store` });
  await giveUp('browser_navigate', { url: `${url}/silent` });
  expect(await browser.unblock()).toBe(false);
  expect(await call('browser_evaluate', { function: '() => location.pathname' })).toContain('/store');

  await giveUp('browser_evaluate', { function: '() => { fetch("/silent"); for (;;); }' });
  expect(await browser.unblock()).toBe(true);
  await call('browser_navigate', { url });
  expect(await call('browser_evaluate', STORED)).toContain('"sid=of-a-session,kept"');
  expect(await browser.unblock()).toBe(false);
  expect(browser.lost.aborted).toBe(false);
});

it('with a profile on disk a reset ends the routes and traces of the last holder, and it is online again', {
  tags: ['at-length'],
}, async () => {
  const { url } = await site();
  const { browser, call } = await startProcess({ isolated: false }, new FakeClock(), ['network', 'devtools']);
  await call('browser_navigate', { url });
  await call('browser_route', { pattern: '**/mocked', body: 'mocked' });
  await call('browser_start_tracing');
  await call('browser_network_state_set', { state: 'offline' });
  await browser.reset(new AbortController().signal);
  expect(await call('browser_route_list')).toContain('No active routes');
  expect(await call('browser_start_tracing')).toContain('Trace recording started');
  await call('browser_navigate', { url });
  expect(await call('browser_evaluate', { function: '() => navigator.onLine' })).toContain('true');
});
