import { describe, expect, it } from 'vitest';
import { startFakeServer } from './fixtures/fake-server.js';
import { errorOf } from './fixtures/stdio-server.js';

/** A server with the session `web`, on browsers that answer with their tool and their page. */
async function startWithSession() {
  const server = await startFakeServer();
  server.driver.answer = ({ tool, args }) => {
    const gone = args['target'] === '#gone';
    const page = `### Page\n- Page URL: ${args['url'] ?? 'about:blank'}\n- Page Title: Shop`;
    const text = gone ? '### Error\n"#gone" does not match any elements.' : `### Result\n"${tool}"\n${page}`;
    return { content: [{ type: 'text', text }], ...(gone ? { isError: true } : {}) };
  };
  await server.call('start_browser', { sessionId: 'web' });
  const run = (actions: unknown[], more: Record<string, unknown> = { sessionId: 'web' }) =>
    server.call('execute_sequence', { actions, ...more });
  return { ...server, run };
}

const LOGIN = [
  { action: 'set_value', selector: '#email', value: 'a@example.com' },
  { action: 'set_value', selector: '#password', value: 'password123' },
  { action: 'click_element', selector: '#login' },
];

describe('execute_sequence', () => {
  it('runs its actions in order in the session, by the tools that do them [003-sequence-01, 003-sequence-02]', async () => {
    const { run, driver } = await startWithSession();
    const { structuredContent } = await run([{ action: 'navigate', url: 'https://a.example/' }, ...LOGIN]);
    expect(driver.calls.map(({ tool, args }) => [tool, args])).toEqual([
      ['browser_navigate', { url: 'https://a.example/' }],
      ['browser_type', { target: '#email', text: 'a@example.com' }],
      ['browser_type', { target: '#password', text: 'password123' }],
      ['browser_click', { target: '#login' }],
    ]);
    expect(structuredContent).toEqual({
      success: true,
      executed_count: 4,
      total_count: 4,
      results: [{ index: 3, action: 'click_element', result: expect.stringContaining('browser_click') }],
      errors: [],
      stopped_at: null,
    });
  });

  it('answers what was read, and what the last action did', async () => {
    const { run } = await startWithSession();
    const actions = [{ action: 'get_visible_elements' }, { action: 'take_screenshot' }, ...LOGIN];
    expect((await run(actions)).structuredContent?.['results']).toMatchObject([
      { index: 0, action: 'get_visible_elements', result: expect.stringContaining('browser_snapshot') },
      { index: 1, action: 'take_screenshot' },
      { index: 4, action: 'click_element' },
    ]);
  });

  it('stops at the action that fails, and says which and why', async () => {
    const { run, driver } = await startWithSession();
    const [email] = LOGIN;
    const { structuredContent } = await run([email, { action: 'click_element', selector: '#gone' }, email]);
    expect(structuredContent).toMatchObject({
      success: false,
      executed_count: 2,
      total_count: 3,
      errors: [{ index: 1, action: 'click_element', error: { code: 'ELEMENT_NOT_FOUND' } }],
      stopped_at: 1,
    });
    expect(driver.calls).toHaveLength(2);
  });

  it('uses the current session when it names none, and says so', async () => {
    const { run } = await startWithSession();
    expect((await run(LOGIN, {})).structuredContent).toMatchObject({ success: true, sessionId: 'web' });
  });

  it('takes a reference to what an earlier action answered', async () => {
    const { run, driver } = await startWithSession();
    await run([{ action: 'get_visible_elements' }, { ...LOGIN[0], value: 'from ${0.title}' }]);
    expect(driver.calls.at(-1)?.args).toMatchObject({ text: 'from Shop' });
  });

  it.each<[string, unknown[], string]>([
    [
      'a misspelt action',
      [{ action: 'click_elment' }],
      "There is no action 'click_elment'. Did you mean click_element?",
    ],
    ['an action of apps', [{ action: 'tap_element', selector: '~login' }], 'Use click_element.'],
    [
      'a browser tool',
      [{ action: 'browser_press_key', key: 'a' }],
      'There are: navigate, click_element, set_value',
    ],
    ['a missing argument', [{ action: 'set_value', selector: '#a' }], "set_value needs 'value', a string."],
    ['an argument of another type', [{ action: 'navigate', url: 7 }], "navigate needs 'url', a string."],
    [
      'an argument that the action does not take',
      [{ ...LOGIN[2], timeout: 500 }],
      "click_element does not take 'timeout'.",
    ],
    [
      'what cannot be otherwise',
      [{ ...LOGIN[2], scrollToView: false }],
      "'scrollToView' of click_element can only be true.",
    ],
    [
      'a reference to a later action',
      [{ ...LOGIN[0], value: '${1.url}' }, ...LOGIN],
      '${1.url} is not about a command before this one.',
    ],
    ['the name of a property of every object', [{ action: 'toString' }], "There is no action 'toString'."],
  ])('refuses %s before anything runs, and says what there is', async (_, actions, message) => {
    const { run, driver } = await startWithSession();
    const error = errorOf(await run(actions));
    expect(error).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('actions[0]: '),
      hint: expect.stringContaining('An action is { action, … }'),
    });
    expect(error.message).toContain(message);
    expect(driver.calls).toEqual([]);
  });

  it('runs nothing of what is denied', async () => {
    const { call, driver } = await startFakeServer({ toolsDeny: ['browser_type'] });
    expect(errorOf(await call('execute_sequence', { actions: LOGIN })).message).toContain(
      "actions[1]: Tool 'browser_type' is denied.",
    );
    expect(driver.calls).toEqual([]);
  });
});
