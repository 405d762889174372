import { describe, expect, it } from 'vitest';
import { startSite } from './fixtures/site.js';
import { pool, StdioServer, textOf } from './fixtures/stdio-server.js';

describe('a failed tool call', () => {
  it('has a code, a message and a hint, and its text says what to do next [002-error-01, arch-error-01, arch-error-02]', async () => {
    await using server = await StdioServer.start(pool('DEFAULT', 1));
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

  it('in the browser tells the page too [002-error-01, arch-error-02, arch-failure-01]', async () => {
    await using site = await startSite();
    await using server = await StdioServer.start(pool('DEFAULT', 1));
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

describe('a pool of which every instance has failed', () => {
  it('says so at once, with why, and leaves the other pools alone [000-validation-08, arch-error-04]', async () => {
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
