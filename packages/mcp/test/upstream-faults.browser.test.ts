import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startSite } from './fixtures/site.js';
import { pool, StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';

describe('faults of upstream that pwpool closes', () => {
  it('browser_close: the session goes on with a new page and none of the old state [002-close-01]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 1));
    const url = `${site.origin}/page/shop`;
    await server.text('browser_navigate', { url });
    await server.text('browser_evaluate', { function: "() => { document.cookie = 'user=alice' }" });
    expect(await server.text('browser_close')).toContain('No open tabs');
    expect(titleOf(await server.text('browser_navigate', { url }))).toBe('shop');
    expect(await server.text('browser_evaluate', { function: '() => document.cookie' })).toContain('""');
  });

  it('a stray rejection of one tenant is not told to another, nor does it end the server [arch-security-01]', async () => {
    await using server = await StdioServer.start({
      ...pool('DEFAULT', 2),
      PW_MCP_PROXY_ALLOW_UNSAFE_CODE: 'true',
    });
    await Promise.all(['alice', 'bob'].map((sessionId) => server.text('start_browser', { sessionId })));
    const code =
      "async () => { Promise.reject(new Error('stray of alice')); await new Promise((done) => setImmediate(done)); }";
    const answers = await Promise.all([
      server.call('browser_run_code_unsafe', { sessionId: 'alice', code }),
      ...Array.from({ length: 10 }, () => server.call('browser_snapshot', { sessionId: 'bob' })),
    ]);
    answers.push(await server.call('browser_snapshot', { sessionId: 'bob' }));
    for (const answer of answers.slice(1)) expect(textOf(answer)).not.toContain('stray of alice');
    await expect.poll(() => server.stderr).toContain('stray of alice');
  });

  it('a navigation that never answers ends at the deadline, and the page can be read and used again [002-error-03, arch-error-09]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({ ...pool('DEFAULT', 1), PW_MCP_PROXY_TIMEOUT: '6000' });
    await server.text('browser_navigate', { url: `${site.origin}/page/before` });
    expect(await server.error('browser_navigate', { url: `${site.origin}/hang` })).toMatchObject({
      code: 'NAVIGATION_TIMEOUT',
    });
    expect(titleOf(await server.text('browser_snapshot'))).toBe('before');
    expect(await server.text('browser_evaluate', { function: '() => 6 * 7' })).toContain('42');
    await server.text('browser_click', { target: 'button' });
    expect(titleOf(await server.text('browser_navigate', { url: `${site.origin}/page/after` }))).toBe(
      'after',
    );
  });

  it('a navigation that its client cancels leaves the page usable', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 1));
    await server.text('browser_navigate', { url: `${site.origin}/page/before` });
    const cancel = new AbortController();
    const call = server.call('browser_navigate', { url: `${site.origin}/hang` }, cancel.signal);
    await expect.poll(() => site.requests).toContain('/hang');
    cancel.abort();
    await expect(call).rejects.toThrow();
    expect(titleOf(await server.text('browser_snapshot'))).toBe('before');
  });

  it('a script that never ends: the call ends at the deadline, and the loss of the page is told [arch-error-09]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start({ ...pool('DEFAULT', 1), PW_MCP_PROXY_TIMEOUT: '6000' });
    await server.text('browser_navigate', { url: `${site.origin}/page/busy` });
    expect(await server.error('browser_evaluate', { function: '() => { for (;;); }' })).toMatchObject({
      code: 'CALL_TIMEOUT',
      message: expect.stringContaining('was closed'),
    });
    expect(titleOf(await server.text('browser_navigate', { url: `${site.origin}/page/next` }))).toBe('next');
  });

  it('files are written to a folder of the session, under the name that the answer tells', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 1));
    const answer = await server.text('browser_navigate', { url: `${site.origin}/page/file` });
    const link = /\[Snapshot\]\((.*)\)/.exec(answer)?.[1] ?? '';
    expect(link).toContain('/.pwpool/browser-1/');
    expect(existsSync(link)).toBe(true);
  });
});
