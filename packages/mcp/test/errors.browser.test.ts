import { describe, expect, it } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { pool, StdioServer, textOf } from './fixtures/stdio-server.js';

const test = onSharedServer({ ...pool('DEFAULT', 1), PW_MCP_PROXY_TIMEOUT_ACTION: '3000' });

describe('a failed tool call', () => {
  test('has a code, a message and a hint, and its text says what to do next [002-error-01, arch-error-01, arch-error-02]', async ({
    server,
  }) => {
    const refused = await server.call('browser_snapshot', { browser_instance: '7' });
    const message = "Instance '7' not found in pool 'DEFAULT'.";
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        success: false,
        error: {
          code: 'INSTANCE_NOT_FOUND',
          message,
          hint: 'Use one of: 0.',
          retryable: false,
          details: { valid: ['0'] },
        },
      },
    });
    expect(textOf(refused)).toBe(`### Error\nINSTANCE_NOT_FOUND: ${message}\nUse one of: 0.`);
  });

  test('in the browser tells the page too [002-error-01, arch-error-02, arch-failure-01]', async ({
    server,
  }) => {
    await using site = await startSite();
    const pageUrl = `${site.origin}/page/form`;
    await server.text('browser_navigate', { url: pageUrl });
    const failed = await server.call('browser_click', { target: 'e999' });
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: {
        success: false,
        error: {
          code: 'ELEMENT_NOT_FOUND',
          message: expect.stringContaining('e999'),
          hint: expect.stringContaining('browser_snapshot'),
          pageUrl,
        },
      },
    });
    expect(textOf(failed)).toMatch(
      /^### Error\nELEMENT_NOT_FOUND: .*\nTake browser_snapshot .*\nPage URL: http/,
    );
    expect(textOf(failed)).toContain(`\nPage URL: ${pageUrl}\n`);
  });
});

describe('what went wrong in the browser', () => {
  test('is told by its code: no such element, a hidden one, code that throws, a blocked address [002-error-04, 002-error-05, 002-error-06, 002-security-02]', async ({
    server,
  }) => {
    await server.text('browser_navigate', {
      url: 'data:text/html,<button hidden>Hidden</button><a style="position:fixed;left:-99px">Off</a>',
    });
    const codeOf = async (tool: string, args: Record<string, unknown>) =>
      (await server.error(tool, args)).code;
    expect(await codeOf('browser_click', { target: '#missing' })).toBe('ELEMENT_NOT_FOUND');
    expect(await codeOf('browser_click', { target: 'text=Missing' })).toBe('ELEMENT_NOT_FOUND');
    expect(await codeOf('browser_click', { target: "getByRole('link')" })).toBe('ELEMENT_NOT_FOUND');
    expect(await codeOf('browser_click', { target: 'text=Hidden' })).toBe('ELEMENT_NOT_VISIBLE');
    expect(await codeOf('browser_click', { target: 'text=Off' })).toBe('ELEMENT_NOT_VISIBLE');
    const throws = { function: '() => { throw new Error("from the page") }' };
    expect(await server.error('browser_evaluate', throws)).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: expect.stringContaining('from the page'),
    });
    expect(await codeOf('browser_navigate', { url: 'file:///etc/hostname' })).toBe('URL_BLOCKED');
  });
});

describe('a pool of which every instance has failed', () => {
  it('says so at once, with why, and leaves the other pools alone [000-validation-08, arch-error-04]', {
    tags: ['at-length'],
  }, async () => {
    await using server = await StdioServer.start({
      ...pool('BROKEN', 1, { AUTO_RESTART: 'false', EXECUTABLE_PATH: '/nowhere/chrome' }),
      ...pool('WELL', 1, { IS_DEFAULT: 'false' }),
    });
    expect(await server.error('browser_snapshot')).toMatchObject({ code: 'BROWSER_NOT_READY' });
    expect(await server.error('browser_snapshot')).toMatchObject({
      code: 'NO_HEALTHY_INSTANCES',
      message:
        "Default pool 'BROKEN' has no healthy instances. Specify explicit pool or restart failed instances.",
      hint: expect.stringContaining('/nowhere/chrome'),
    });
    await server.text('browser_snapshot', { browser_pool: 'WELL' });
  });
});
