import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type ConfigInput, resolveConfig } from '@pwpool/core';
import { describe, expect, it } from 'vitest';
import { startFakeServer } from './fixtures/fake-server.js';

const pool = { instances: 2, isolated: true };
const ONE: ConfigInput = { pools: { SHOP: { ...pool, isDefault: true } } };
const TWO: ConfigInput = { pools: { SHOP: { ...pool, isDefault: true }, CHAT: pool } };

describe('prompts', () => {
  it('are listed with what they take', async () => {
    const { client } = await startFakeServer();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name, arguments: taken = [] }) => [name, taken.map((each) => each.name)])).toEqual([
      ['parallel-agents', ['task']],
      ['multi-user-test', ['url', 'scenario', 'users']],
    ]);
  });

  it('teach with the calls to make, and name no tool that is not there [arch-offer-03]', async () => {
    const { client } = await startFakeServer();
    const textOf = async (name: string, given: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: given });
      return String(messages[0]?.content.type === 'text' ? messages[0].content.text : '');
    };
    const parallel = await textOf('parallel-agents', { task: 'Compare the prices of three shops' });
    expect(parallel).toContain('of its own: Compare the prices of three shops\n');
    const users = await textOf('multi-user-test', {
      url: 'https://chat.example/',
      scenario: 'one writes, the others read',
      users: 'ann, ben,cleo',
    });
    expect(users).toContain('start_browser({"sessionId":"cleo","navigationUrl":"https://chat.example/"})');
    const { tools } = await client.listTools();
    const known = tools.map(({ name }) => name);
    const actions = ['set_value', 'click_element'];
    const named = `${parallel} ${users}`.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(named.filter((name) => !known.includes(name) && !actions.includes(name))).toEqual([]);
  });

  it.each([
    ['nothing', {}, "There is no prompt 'nothing'. There are: parallel-agents, multi-user-test."],
    ['parallel-agents', { task: ' ' }, "parallel-agents needs 'task' (What is to be done)."],
    ['multi-user-test', {}, "multi-user-test needs 'url' (The page), 'scenario'"],
  ])('say what is missing: %s', async (name, given, message) => {
    const { client } = await startFakeServer();
    await expect(client.getPrompt({ name, arguments: given })).rejects.toThrow(message);
  });
});

it('a reload that adds or removes a pool changes the tools, and the client is told [arch-offer-04]', async () => {
  const { client, pools } = await startFakeServer(ONE);
  const changes: string[][] = [];
  const choice = async () => {
    const { tools } = await client.listTools();
    const properties = tools.find(({ name }) => name === 'start_browser')?.inputSchema.properties ?? {};
    return (properties['browser_pool'] as { enum?: string[] }).enum;
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    changes.push((await choice()) ?? []);
  });
  expect(await choice()).toBeUndefined();
  await pools.reload(resolveConfig(TWO));
  await expect.poll(() => changes).toEqual([['SHOP', 'CHAT']]);
  await pools.reload(resolveConfig(ONE));
  await expect.poll(() => changes).toEqual([['SHOP', 'CHAT'], []]);
  await pools.reload(resolveConfig(ONE));
  expect(changes).toHaveLength(2);
});

it('a client of the old revisions is told what becomes of browsers, from the level on that it sets [arch-offer-05]', async () => {
  const { client, call, driver } = await startFakeServer(ONE);
  const messages: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void messages.push(params));
  await client.setLoggingLevel('error');
  await call('start_browser', { sessionId: 'alice', browser_instance: '0' });
  driver.browser('0', 'SHOP').crash();
  await call('list_sessions');
  expect(messages).toEqual([]);
  await client.setLoggingLevel('warning');
  await call('start_browser', { sessionId: 'bob', browser_instance: '1' });
  driver.browser('1', 'SHOP').crash();
  await expect.poll(() => messages).toHaveLength(1);
  expect(messages).toMatchObject([
    {
      level: 'warning',
      logger: 'pwpool',
      data: expect.stringContaining("Instance '1' of pool 'SHOP' was lost (crash)"),
    },
  ]);
});
