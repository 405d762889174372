import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { settle } from '@pwpool/core/testing';
import { describe, expect, it } from 'vitest';
import { startFakeServer } from './fixtures/fake-server.js';

type Arguments = Record<string, unknown>;

/** Fake browsers that answer where they are, and what `browser_evaluate` is given as its function. */
async function startFake() {
  const instance = { 1: { alias: 'second' } };
  const fake = await startFakeServer({
    pools: { DEFAULT: { instances: 2, isDefault: true, isolated: true, instance } },
  });
  const { client, driver } = fake;
  driver.answer = ({ tool, args, instance: id }) => {
    const failed = tool === 'browser_click';
    const text = failed
      ? '### Error\nRef not found'
      : `### Result\n${args['function'] ?? `"${id}"`}\n### Page\n- Page URL: ${args['url'] ?? 'about:blank'}\n- Page Title: Shop`;
    return { content: [{ type: 'text', text }], ...(failed ? { isError: true } : {}) };
  };
  const bulk = async (
    args: Arguments,
    options: { signal?: AbortSignal; onprogress?: (p: Progress) => void } = {},
  ) => {
    const answer = await client.callTool(
      { name: 'browser_execute_bulk', arguments: args },
      undefined,
      options,
    );
    return answer as CallToolResult;
  };
  return { ...fake, bulk };
}

const go = (url: string) => ({ tool: 'browser_navigate', args: { url } });
const READ = {
  tool: 'browser_evaluate',
  args: { function: '{"items":[{"href":"https://a.example/2"}],"count":3}' },
};
const FAIL = { tool: 'browser_click', args: { target: 'e1' } };

describe('browser_execute_bulk', () => {
  it('runs its commands in order on one instance, which nobody gets between them [000-bulk-01, 000-bulk-02]', async () => {
    const { driver, pools, bulk, client } = await startFake();
    await client.callTool({ name: 'start_browser', arguments: { sessionId: 'other' } });
    const first = driver.browser('1', 'DEFAULT');
    first.calling.hold();
    const running = bulk({ browser_instance: '1', commands: [go('https://a.example/1'), READ] });
    const between = client.callTool({
      name: 'browser_navigate',
      arguments: { url: 'https://b.example/', browser_instance: '1' },
    });
    await settle();
    first.calling.release();
    expect((await running).structuredContent).toMatchObject({ success: true, executed_count: 2 });
    await between;
    expect(driver.calls.map(({ tool, args }) => args['url'] ?? tool)).toEqual([
      'https://a.example/1',
      'browser_evaluate',
      'https://b.example/',
    ]);
    expect(pools.status().summary.leased_instances).toBe(1);
  });

  it('runs in the instance, the pool or the session that is named beside the commands [000-bulk-03]', async () => {
    const { bulk, client } = await startFake();
    await client.callTool({
      name: 'start_browser',
      arguments: { sessionId: 'alice', browser_instance: '0' },
    });
    const where = async (target: Arguments) => {
      const commands = [{ tool: 'browser_snapshot', return_result: true }];
      const { structuredContent } = await bulk({ ...target, commands });
      return JSON.stringify(structuredContent?.['results']);
    };
    expect(await where({ browser_instance: 'second' })).toContain('\\"1\\"');
    expect(await where({ browser_pool: 'DEFAULT', browser_instance: 1 })).toContain('\\"1\\"');
    expect(await where({ sessionId: 'alice' })).toContain('\\"0\\"');
  });

  it('answers what was asked to be returned, as text and as data [000-bulk-04]', async () => {
    const { bulk } = await startFake();
    const commands = [go('https://a.example/'), { ...READ, return_result: true }];
    const some = await bulk({ commands });
    expect(some.structuredContent).toEqual({
      success: true,
      executed_count: 2,
      total_count: 2,
      results: [{ index: 1, tool: 'browser_evaluate', result: expect.stringContaining('"count":3') }],
      errors: [],
      stopped_at: null,
      sessionId: 'browser-1',
      sessionType: 'browser',
    });
    expect(JSON.parse((some.content[0] as { text: string }).text)).toEqual(some.structuredContent);
    const all = await bulk({ commands, return_all_results: true });
    expect(all.structuredContent?.['results']).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  it('stops at the first command that fails, or goes on when told to', async () => {
    const { bulk, driver } = await startFake();
    const commands = [go('https://a.example/'), FAIL, READ];
    expect((await bulk({ commands })).structuredContent).toMatchObject({
      success: false,
      executed_count: 2,
      total_count: 3,
      errors: [{ index: 1, tool: 'browser_click', error: { code: 'EXECUTION_ERROR' } }],
      stopped_at: 1,
    });
    const onward = await bulk({ commands, stop_on_error: false });
    expect(onward.structuredContent).toMatchObject({ success: false, executed_count: 3, stopped_at: null });
    expect(driver.calls).toHaveLength(5);
  });

  it('gives a later command what an earlier one answered', async () => {
    const { bulk, driver } = await startFake();
    await bulk({
      commands: [
        READ,
        go('${0.result.items[0].href}'),
        { tool: 'browser_wait_for', args: { time: '${0.result.count}' } },
        { tool: 'browser_type', args: { target: 'css=input', text: 'from ${1.url} (${0.result.count})' } },
      ],
    });
    expect(driver.calls.slice(1).map(({ args }) => args)).toEqual([
      { url: 'https://a.example/2' },
      { time: 3 },
      { target: 'css=input', text: 'from https://a.example/2 (3)' },
    ]);
  });

  it('gives a later command what an earlier one was shown of the page [arch-answer-02]', async () => {
    const { bulk, driver } = await startFake();
    const page = '- main [ref=kqbze1]:\n  - button "Buy" [ref=kqbze2]\n  - link "More" [ref=kqbze3]';
    driver.answer = () => ({
      content: [
        {
          type: 'text',
          text: `### Page\n- Page URL: https://a.example/\n### Snapshot\n\`\`\`yaml\n${page}\n\`\`\``,
        },
      ],
    });
    const query = { flatten: true, jmespath_query: "[?role=='button']", output_format: 'json' };
    const { structuredContent } = await bulk({
      commands: [
        { tool: 'browser_snapshot', args: query },
        { tool: 'browser_click', args: { target: '${0.snapshot[0].ref}' } },
        { tool: 'browser_snapshot', args: { cache_key: '${0.cache_key}', offset: '${0.total_items}' } },
      ],
    });
    expect(driver.calls.map(({ args }) => args)).toEqual([{}, { target: 'kqbze2' }]);
    expect(structuredContent?.['errors']).toMatchObject([
      { index: 2, error: { message: 'Offset 1 of browser_snapshot is beyond the last of 1 items.' } },
    ]);
  });

  it('refuses a view that contradicts itself before anything runs [arch-answer-05]', async () => {
    const { bulk, driver } = await startFake();
    const commands = [READ, { tool: 'browser_snapshot', args: { diff: true, limit: 5 } }];
    const { content } = await bulk({ commands });
    expect((content[0] as { text: string }).text).toContain(
      "commands[1]: Invalid arguments for browser_snapshot: 'diff'",
    );
    expect(driver.calls).toEqual([]);
  });

  it('fails the command whose reference finds nothing, and says what there is', async () => {
    const { bulk } = await startFake();
    const { structuredContent } = await bulk({
      commands: [go('https://a.example/'), FAIL, go('${0.nothing}'), go('${1.url}')],
      stop_on_error: false,
    });
    expect(structuredContent?.['errors']).toMatchObject([
      { index: 1 },
      {
        index: 2,
        error: { code: 'INVALID_ARGUMENTS', hint: 'The answer of command 0 has: url, title, result, text.' },
      },
      { index: 3, error: { hint: 'Command 1 failed, so it has no answer.' } },
    ]);
  });

  it.each<[string, unknown[], RegExp]>([
    [
      'an unknown tool',
      [{ tool: 'browser_navigat' }],
      /commands\[0\]: Tool 'browser_navigat' not found. Did you mean browser_navigate\?/,
    ],
    [
      "one of pwpool's own tools",
      [{ tool: 'start_browser' }],
      /commands\[0\]: Tool 'start_browser' not found/,
    ],
    [
      'arguments that its tool does not take',
      [{ tool: 'browser_navigate', args: { url: 7 } }],
      /commands\[0\]: .*'url' must be of type string/,
    ],
    [
      'a reference to a later command',
      [go('${1.url}'), READ],
      /commands\[0\]: \$\{1.url\} is not about a command before this one/,
    ],
    ['a reference to itself', [go('${0.url}')], /commands\[0\]: \$\{0.url\} is not about/],
    [
      'a reference that is no expression',
      [READ, go('${0.result[}')],
      /commands\[1\]: .* is not a JMESPath expression/,
    ],
    [
      'a target of its own',
      [{ tool: 'browser_snapshot', args: { sessionId: 'x' } }],
      /commands\[0\]: 'sessionId' is not an argument/,
    ],
    ['no command', [], /'commands' must not be empty/],
    [
      'too many commands',
      Array.from({ length: 10_000 }, () => READ),
      /'commands' must not have more than 200 entries/,
    ],
  ])('refuses %s before anything runs', async (_, commands, message) => {
    const { bulk, driver } = await startFake();
    const { isError, content } = await bulk({ commands: [...commands] });
    expect(isError).toBe(true);
    expect((content[0] as { text: string }).text).toMatch(/INVALID_ARGUMENTS: /);
    expect((content[0] as { text: string }).text).toMatch(message);
    expect(driver.calls).toEqual([]);
  });

  it('tells its progress command by command', async () => {
    const { bulk } = await startFake();
    const seen: Progress[] = [];
    await bulk({ commands: [READ, READ] }, { onprogress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { progress: 1, total: 2, message: '1 of 2' },
      { progress: 2, total: 2, message: '2 of 2' },
    ]);
  });

  it('begins no further command once it is cancelled, and gives the browser back', async () => {
    const { bulk, driver, pools } = await startFake();
    const { calling } = driver.browser('0', 'DEFAULT');
    calling.hold();
    const caller = new AbortController();
    const running = bulk({ browser_instance: '0', commands: [READ, READ] }, { signal: caller.signal });
    running.catch(() => {});
    await settle();
    caller.abort();
    await expect(running).rejects.toThrow();
    calling.release();
    await expect.poll(() => pools.status().summary.leased_instances).toBe(0);
    expect(driver.calls).toHaveLength(1);
  });

  it('ends with the browser: the command that ran then has failed, and the session goes on', async () => {
    const { bulk, client, driver } = await startFake();
    await client.callTool({
      name: 'start_browser',
      arguments: { sessionId: 'alice', browser_instance: '0' },
    });
    const browser = driver.browser('0', 'DEFAULT');
    browser.calling.hold();
    const running = bulk({ sessionId: 'alice', commands: [READ, READ, READ], stop_on_error: false });
    await settle();
    browser.crash();
    expect((await running).structuredContent).toMatchObject({
      executed_count: 1,
      total_count: 3,
      errors: [
        {
          index: 0,
          error: { code: 'INSTANCE_CRASHED', hint: expect.stringContaining("session 'alice' goes on") },
        },
      ],
      stopped_at: 0,
    });
  });
});
