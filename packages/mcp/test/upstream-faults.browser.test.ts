import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { packedPool, textOf, titleOf } from './fixtures/stdio-server.js';

/** Its deadline is for pages and scripts that never end; a page that answers takes no tenth of it. */
const test = onSharedServer({
  ...packedPool('DEFAULT', 2),
  PW_MCP_PROXY_TIMEOUT: '10000',
  PW_MCP_PROXY_ALLOW_UNSAFE_CODE: 'true',
});

describe('faults of upstream that pwpool closes', () => {
  test('browser_close: the session goes on with a new page and none of the old state [002-close-01]', async ({
    server,
  }) => {
    await using site = await startSite();
    const url = `${site.origin}/page/shop`;
    await server.text('browser_navigate', { url });
    await server.text('browser_evaluate', { function: "() => { document.cookie = 'user=alice' }" });
    expect(await server.text('browser_close')).toContain('No open tabs');
    expect(titleOf(await server.text('browser_navigate', { url }))).toBe('shop');
    expect(await server.text('browser_evaluate', { function: '() => document.cookie' })).toContain('""');
  });

  test('a stray rejection of one tenant is not told to another, nor does it end the server [arch-security-01]', async ({
    server,
  }) => {
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

  test('a navigation that never answers ends at the deadline, and the page can be read and used again [002-error-03, arch-error-09]', async ({
    server,
  }) => {
    await using site = await startSite();
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

  test('a navigation that its client cancels leaves the page usable', async ({ server }) => {
    await using site = await startSite();
    await server.text('browser_navigate', { url: `${site.origin}/page/before` });
    const cancel = new AbortController();
    const call = server.call('browser_navigate', { url: `${site.origin}/hang` }, cancel.signal);
    await expect.poll(() => site.requests).toContain('/hang');
    cancel.abort();
    await expect(call).rejects.toThrow();
    expect(titleOf(await server.text('browser_snapshot'))).toBe('before');
  });

  test('a script that never ends: the call ends at the deadline, and the loss of the page is told [arch-error-09]', {
    tags: ['at-length'],
  }, async ({ server }) => {
    await using site = await startSite();
    await server.text('browser_navigate', { url: `${site.origin}/page/busy` });
    expect(await server.error('browser_evaluate', { function: '() => { for (;;); }' })).toMatchObject({
      code: 'CALL_TIMEOUT',
      message: expect.stringContaining('was closed'),
    });
    expect(titleOf(await server.text('browser_navigate', { url: `${site.origin}/page/next` }))).toBe('next');
  });

  test('files are written to a folder of the session, under the name that the answer tells', async ({
    server,
  }) => {
    await using site = await startSite();
    await server.text('browser_navigate', { url: `${site.origin}/page/file` });
    const answer = await server.text('browser_take_screenshot');
    const link = /\[Screenshot[^\]]*\]\((.*)\)/.exec(answer)?.[1] ?? '';
    expect(link).toContain('/.pwpool/browser-1/');
    expect(existsSync(link)).toBe(true);
  });
});
