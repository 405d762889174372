import { describe, expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { pool, titleOf } from './fixtures/stdio-server.js';

const test = onSharedServer({
  ...pool('MAIN', 2, { SNAPSHOT_MODE: 'none' }),
  PW_MCP_PROXY__MAIN__0_ALIAS: 'main_browser',
  ...pool('SIDE', 1, { IS_DEFAULT: 'false' }),
});
const testPerCall = onSharedServer({
  ...pool('DEFAULT', 1),
  PW_MCP_PROXY__DEFAULT__0_ALIAS: 'only',
  PW_MCP_PROXY_AFFINITY: 'call',
});
/** No call of theirs gets as far as a browser. */
const testRefusal = onSharedServer(pool('DEFAULT', 1));

describe('which browser a call reaches', () => {
  const testInterleaved = (rounds: number, tags: string[]) =>
    test(`keeps two sessions apart through ${rounds} interleaved navigations each [003-parallel-01, 003-target-01]`, {
      tags,
      timeout: 240_000,
    }, async ({ server }) => {
      await using site = await startSite();
      await Promise.all(['alice', 'bob'].map((sessionId) => server.text('start_browser', { sessionId })));
      const visit = async (sessionId: string) => {
        const wrong: string[] = [];
        for (let number = 0; number < rounds; number++) {
          const title = `${sessionId}-${number}`;
          const seen = titleOf(
            await server.text('browser_navigate', { sessionId, url: `${site.origin}/page/${title}` }),
          );
          if (seen !== title) wrong.push(`${title}: ${seen}`);
        }
        return wrong;
      };
      const wrong = await Promise.all([visit('alice'), visit('bob')]);
      expect(wrong.flat()).toEqual([]);
      expect(site.requests).toHaveLength(2 * rounds);
    });
  testInterleaved(10, []);
  testInterleaved(100, ['at-length']);

  testPerCall(
    'lets calls wait for a busy instance and serves them in order of arrival, keyed and unkeyed together [000-key-09, 000-lease-02, 000-lease-03, arch-lease-01, arch-lease-02]',
    async ({ server }) => {
      await using site = await startSite();
      const visit = (name: string, target: Record<string, string> = {}) =>
        server.text('browser_navigate', { url: `${site.origin}/${name}`, ...target });
      const first = visit('held/first');
      await expect.poll(() => site.requests).toEqual(['/held/first']);
      const rest = [
        visit('page/any'),
        visit('page/by-id', { browser_instance: '0' }),
        visit('page/by-alias', { browser_instance: 'only' }),
        visit('page/last'),
      ];
      await server.call('browser_pool_status');
      expect(site.requests).toEqual(['/held/first']);
      site.release();
      await Promise.all([first, ...rest]);
      expect(site.requests.slice(1)).toEqual(['/page/any', '/page/by-id', '/page/by-alias', '/page/last']);
    },
  );

  test('takes calls without a target to the client’s own session (AFFINITY=client), shared by the first calls [arch-target-03]', async ({
    server,
  }) => {
    await using site = await startSite();
    await Promise.all(
      [1, 2, 3].map((n) => server.text('browser_navigate', { url: `${site.origin}/page/${n}` })),
    );
    const { sessions } = (await server.call('list_sessions')).structuredContent as {
      sessions: { sessionId: string }[];
    };
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['browser-1']);
  });

  testPerCall(
    'leases the default pool for each call (AFFINITY=call): the page stays, no session is made [arch-target-04, arch-reset-01]',
    async ({ server }) => {
      await using site = await startSite();
      const answer = await server.text('browser_navigate', { url: `${site.origin}/page/left` });
      expect(answer).not.toContain('Session:');
      expect(titleOf(await server.text('browser_snapshot'))).toBe('left');
      expect((await server.call('list_sessions')).structuredContent).toEqual({
        sessions: [],
        currentSession: null,
      });
      const status = (await server.call('browser_pool_status')).structuredContent as { summary: object };
      expect(status.summary).toMatchObject({ leased_instances: 0, available_instances: 1 });
    },
  );

  test('shows a session nothing of what one-shot calls and earlier sessions left (RESET=session) [002-life-03]', async ({
    server,
  }) => {
    await using site = await startSite();
    const cookie = {
      function: "() => { document.cookie = 'user=first'; localStorage.setItem('user', 'first'); }",
    };
    const read = { function: '() => document.cookie + (localStorage.getItem("user") ?? "")' };
    const url = `${site.origin}/page/shop`;
    await server.text('browser_navigate', { browser_pool: 'SIDE', url });
    await server.text('browser_evaluate', { browser_pool: 'SIDE', ...cookie });
    for (const sessionId of ['one', 'two']) {
      await server.text('start_browser', { sessionId, browser_pool: 'SIDE', navigationUrl: url });
      expect(await server.text('browser_evaluate', { sessionId, ...read })).toContain('### Result\n""');
      await server.text('browser_evaluate', { sessionId, ...cookie });
      await server.text('close_session', { sessionId });
    }
    expect(await server.text('browser_snapshot', { browser_pool: 'SIDE' })).toContain('about:blank');
  });

  test('refuses targets that do not exist or disagree, with the names that would do [000-validation-06, 000-runtime-03, 000-lease-05, 000-status-02, 003-target-03, 003-exists-01, arch-target-01]', async ({
    server,
  }) => {
    await server.text('start_browser', { sessionId: 'alice', browser_instance: '0' });
    const snapshot = (target: object) => server.error('browser_snapshot', { ...target });
    expect(await snapshot({ browser_pool: 'NOWHERE' })).toMatchObject({
      code: 'POOL_NOT_FOUND',
      message: expect.stringMatching(/^Invalid pool name in browser_pool/),
      hint: 'Use one of: MAIN, SIDE.',
    });
    expect(await snapshot({ browser_instance: '7' })).toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
      hint: 'Use one of: 0, main_browser, 1.',
    });
    expect(await snapshot({ sessionId: 'bob' })).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining("'bob'"),
      hint: 'Start it with start_browser({ sessionId: "bob" }).',
    });
    for (const other of [{ browser_pool: 'SIDE' }, { browser_instance: '7' }]) {
      expect(await snapshot({ sessionId: 'alice', ...other })).toMatchObject({ code: 'TARGET_CONFLICT' });
    }
    expect(await server.error('start_browser', { sessionId: 'alice' })).toMatchObject({
      code: 'SESSION_EXISTS',
      message: "Session 'alice' already exists",
    });
    expect(await server.error('browser_pool_status', { pool_name: 'NOWHERE' })).toMatchObject({
      code: 'POOL_NOT_FOUND',
      message: "Invalid pool name in pool_name: there is no pool 'NOWHERE'.",
    });
    await server.text('browser_snapshot', {
      sessionId: 'alice',
      browser_pool: 'MAIN',
      browser_instance: 'main_browser',
    });
  });

  testRefusal(
    'refuses malformed arguments before any lease is taken [arch-error-05, arch-error-06, arch-arguments-02]',
    async ({ server }) => {
      const error = (name: string, args: object = {}) => server.error(name, { ...args });
      expect(await error('browser_navigate', {})).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: expect.stringContaining("'url' is missing"),
      });
      expect(await error('browser_navigate', { uri: 'b' })).toMatchObject({
        message: "Invalid arguments for browser_navigate: 'url' is missing; unknown argument 'uri'.",
        hint: expect.stringContaining('It takes: url, silent_mode (optional), '),
      });
      expect(await error('browser_navigate', { url: 7 })).toMatchObject({
        message: "Invalid arguments for browser_navigate: 'url' must be of type string.",
      });
      expect(await error('browser_navigate', { url: 'a', browser_instance: '' })).toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
      expect(await error('browser_emulate_media', { colorScheme: 'pink' })).toMatchObject({
        message:
          "Invalid arguments for browser_emulate_media: 'colorScheme' must be one of: light, dark, null.",
      });
      expect(await error('browser_fill_form', { fields: [{ type: 'text' }] })).toMatchObject({
        message: expect.stringMatching(
          /'fields\[0\]\.target' is missing; .*'fields\[0\]\.type' must be one of: textbox,/,
        ),
      });
      expect(await error('close_session')).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: "Invalid arguments for close_session: 'sessionId' is missing.",
      });
      expect(await error('close_session', { sessionId: 7 })).toMatchObject({
        message: "Invalid arguments for close_session: 'sessionId' must be of type string.",
      });
      expect(await error('start_browser', { name: 'alice' })).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        hint: expect.stringContaining('sessionId'),
      });
      const status = (await server.call('browser_pool_status')).structuredContent as {
        pools: { instances: { status: string }[] }[];
      };
      expect(status.pools[0]?.instances[0]?.status).toBe('stopped');
    },
  );

  test('takes what upstream takes: defaults, arguments too many, and an instance id as a number [arch-arguments-01, arch-arguments-02]', async ({
    server,
  }) => {
    await using site = await startSite();
    const url = `${site.origin}/page/all`;
    expect(await server.text('browser_navigate', { url, browser_instance: 0 })).toContain('Page Title: all');
    await server.text('browser_navigate', { url });
    for (const name of ['browser_take_screenshot', 'browser_console_messages', 'browser_network_requests'])
      await server.text(name);
    const target = 'getByRole("button")';
    const clicked = await server.text('browser_click', { target, ref: 'e5', timeout: 9 });
    expect(clicked).toContain('browser_click does not take ref, timeout: ignored.');
    expect(await server.error('browser_click', { ref: 'e5' })).toMatchObject({
      message: "Invalid arguments for browser_click: 'target' is missing; unknown argument 'ref'.",
    });
    const { tools } = await server.client.listTools();
    const required = tools.find(({ name }) => name === 'browser_take_screenshot')?.inputSchema.required;
    expect(required).toBeUndefined();
  });

  testRefusal(
    'suggests a tool for a name that is none [arch-error-05, arch-arguments-03]',
    async ({ server }) => {
      for (const [name, hint] of [
        ['browser_clik', 'Did you mean browser_click?'],
        ['screenshot', 'Did you mean browser_take_screenshot?'],
        ['startbrowser', 'Did you mean start_browser?'],
        ['close_sesion', 'Did you mean close_session?'],
        ['browser_teleport', 'Use a name from the list of tools.'],
      ] as const) {
        expect(await server.error(name), name).toMatchObject({ code: 'TOOL_NOT_FOUND', hint });
      }
      expect((await server.error('browser_pdf_save')).hint).toContain('PW_MCP_PROXY_CAPS');
    },
  );
});
