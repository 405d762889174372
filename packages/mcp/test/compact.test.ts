import type { ConfigInput } from '@pwpool/core';
import { TOOL_LIST } from '@pwpool/core/internal';
import { describe, expect, it } from 'vitest';
import { startFakeServer } from './fixtures/fake-server.js';
import { errorOf, textOf } from './fixtures/stdio-server.js';

const EIGHT = [
  'browser_navigate',
  'browser_click',
  'browser_type',
  'browser_screenshot',
  'browser_snapshot',
  'browser_execute_js',
  'browser_console_logs',
  'browser_close',
];

const bytesOf = (tools: unknown) => Buffer.byteLength(JSON.stringify(tools));

async function startCompact(config: ConfigInput = {}) {
  const server = await startFakeServer({ toolset: 'compact', ...config });
  const { tools } = await server.client.listTools();
  return { ...server, tools, browserTools: tools.filter(({ name }) => EIGHT.includes(name)) };
}

describe('the compact toolset', () => {
  it('lists its eight tools, in at most 0.35 times the bytes of Playwright’s default ones [002-tools-01]', async () => {
    const { browserTools, tools } = await startCompact();
    expect(browserTools.map(({ name }) => name)).toEqual(EIGHT);
    // All others are pwpool's own.
    expect(tools.filter(({ name }) => TOOL_LIST.some((tool) => tool.name === name))).toHaveLength(5);
    const upstream = (await (await startFakeServer({ allowUnsafeCode: true })).client.listTools()).tools;
    const defaults = TOOL_LIST.filter(({ name }) => upstream.some((tool) => tool.name === name));
    expect(defaults).toHaveLength(25);
    expect(bytesOf(browserTools) / bytesOf(defaults)).toBeLessThanOrEqual(0.35);
  });

  it("takes the seed's parameters with their defaults and limits, and the three targets [002-navigate-01, 002-navigate-02, 002-click-01, 002-type-02]", async () => {
    const { browserTools } = await startCompact();
    const schemaOf = (name: string) => browserTools.find((tool) => tool.name === name)?.inputSchema;
    for (const { inputSchema } of browserTools)
      expect(Object.keys(inputSchema.properties ?? {}).slice(-3)).toEqual([
        'sessionId',
        'browser_pool',
        'browser_instance',
      ]);
    expect(schemaOf('browser_navigate')).toMatchObject({
      required: ['url'],
      properties: {
        waitUntil: { enum: ['domcontentloaded', 'load', 'networkidle'], default: 'domcontentloaded' },
        timeout: { default: 30_000, maximum: 60_000 },
      },
    });
    expect(schemaOf('browser_click')).toMatchObject({
      properties: { selector: {}, text: {}, role: {}, ref: {}, timeout: { default: 5000 } },
    });
    expect(schemaOf('browser_type')?.properties).toMatchObject({
      clearFirst: { default: true },
      pressEnter: { default: false },
    });
    expect(schemaOf('browser_screenshot')?.properties).toMatchObject({ fullPage: { default: false } });
    expect(schemaOf('browser_console_logs')?.properties).toMatchObject({
      level: { enum: ['all', 'log', 'warn', 'error', 'info'], default: 'all' },
    });
  });

  it.each([
    ['browser_navigate', {}, "'url' is missing"],
    ['browser_navigate', { url: 'localhost:3000' }, 'is no whole URL'],
    ['browser_navigate', { url: 'http://localhost', timeout: 60_001 }, "'timeout' must be <= 60000"],
    ['browser_navigate', { url: 'http://localhost', waitUntil: 'never' }, "'waitUntil' must be one of"],
    ['browser_click', {}, 'Pass one of selector, text, role and ref'],
    ['browser_click', { selector: 'a', role: 'link' }, 'Pass one of selector, text, role and ref'],
    ['browser_type', { text: 'a' }, 'Pass one of selector'],
    ['browser_type', { selector: 'input' }, "'text' is missing"],
    ['browser_screenshot', { fullPage: true, selector: 'a' }, 'Pass one of fullPage, selector and ref'],
    ['browser_snapshot', { limit: 0 }, "'limit' must be >= 1"],
    ['browser_console_logs', { level: 'debug' }, "'level' must be one of"],
  ])('%s with %o is refused before a browser is taken', async (name, args, problem) => {
    const { call, driver } = await startCompact();
    const error = errorOf(await call(name, args));
    expect(error.code).toBe('INVALID_ARGUMENTS');
    expect(error.message).toContain(problem);
    expect(driver.calls).toEqual([]);
  });

  it('tells which of its tools does what one of Playwright’s does', async () => {
    const { call } = await startCompact();
    const hintOf = async (name: string) => errorOf(await call(name)).hint;
    expect(await hintOf('browser_evaluate')).toBe('Use browser_execute_js.');
    expect(await hintOf('browser_take_screenshot')).toBe('Use browser_screenshot.');
    expect(await hintOf('browser_clik')).toBe('Did you mean browser_click?');
  });

  it('leaves out what TOOLS_DENY names, and refuses a pattern that names none of the eight', async () => {
    const { browserTools, call } = await startCompact({ toolsDeny: ['browser_execute_js'] });
    expect(browserTools.map(({ name }) => name)).toEqual(
      EIGHT.filter((name) => name !== 'browser_execute_js'),
    );
    expect(errorOf(await call('browser_execute_js', { code: '1' })).message).toContain('is denied');
    await expect(startCompact({ toolsDeny: ['browser_evaluate'] })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('does the actions of execute_sequence with its own tools', async () => {
    const { call, driver } = await startCompact();
    const actions = [
      { action: 'navigate', url: 'http://localhost:3000' },
      { action: 'set_value', selector: '#a', value: 'b' },
      { action: 'click_element', selector: '#c' },
      { action: 'take_screenshot' },
    ];
    await call('start_browser', { sessionId: 's' });
    const result = await call('execute_sequence', { sessionId: 's', actions });
    expect(result.isError, textOf(result)).toBeUndefined();
    expect(driver.calls.map(({ tool, args }) => [tool, args])).toEqual([
      ['browser_navigate', { url: 'http://localhost:3000' }],
      ['browser_type', { selector: '#a', text: 'b' }],
      ['browser_click', { selector: '#c' }],
      ['browser_screenshot', {}],
    ]);
  });

  it('checks the commands of a bulk before the first runs', async () => {
    const { call, driver } = await startCompact();
    const commands = [
      { tool: 'browser_snapshot' },
      { tool: 'browser_click', args: {} },
      { tool: 'browser_evaluate', args: {} },
    ];
    const { message } = errorOf(await call('browser_execute_bulk', { commands }));
    expect(message).toContain('commands[1]: browser_click: Pass one of');
    expect(message).toContain("commands[2]: Tool 'browser_evaluate' not found. Use browser_execute_js.");
    expect(driver.calls).toEqual([]);
  });

  it('ends a session after five minutes without a call: SESSION_EXPIRED [002-error-08, 002-security-05]', async () => {
    const { call, clock } = await startCompact();
    await call('start_browser', { sessionId: 'a' });
    await clock.advance(300_000);
    const result = await call('browser_snapshot', { sessionId: 'a' });
    expect(errorOf(result)).toMatchObject({
      code: 'SESSION_EXPIRED',
      hint: expect.stringContaining('start_browser'),
    });
    expect(textOf(result)).toContain('SESSION_EXPIRED');
  });
});
