import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { startSite } from './fixtures/site.js';
import { textOf } from './fixtures/stdio-server.js';

interface Example {
  name: string;
  arguments: Record<string, unknown>;
}

const PAGE = readFileSync(new URL('../../../docs/tools.md', import.meta.url), 'utf8');

const test = onSharedServer({});

test('the examples of docs/tools.md run, one after the other', { tags: ['at-length'] }, async ({
  server,
}) => {
  await using site = await startSite();
  const examples = [...PAGE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) =>
      JSON.parse(text.replaceAll('http://localhost:3000/', `${site.origin}/form`)) as Example,
  );
  const { tools } = await server.client.listTools();
  const own = tools.filter(({ name }) => PAGE.includes(`### ${name}\n`)).map(({ name }) => name);
  expect(examples.map(({ name }) => name)).toEqual(own);
  expect(own).toContain('execute_sequence');
  for (const { name, arguments: args } of examples) {
    const answer = await server.call(name, args);
    expect(answer.isError, `${name}: ${textOf(answer)}`).toBeUndefined();
    const { success = true } = answer.structuredContent ?? {};
    expect(success, `${name}: ${textOf(answer)}`).toBe(true);
    if (name === 'execute_sequence') expect(textOf(answer)).toContain('Signed in as a@example.com');
    if (name === 'browser_execute_bulk') expect(textOf(answer)).toContain('user1@example.com');
  }
});

test('the activity of the client tells which session each call went to, and its error [003-activity-01]', async ({
  server,
}) => {
  await using site = await startSite();
  await server.text('start_browser', { sessionId: 'ann' });
  await server.text('browser_navigate', { sessionId: 'ann', url: `${site.origin}/page/one` });
  await server.error('browser_click', { sessionId: 'ann', target: '#nothing' });
  const actions = [{ action: 'click_element', selector: '#nothing' }];
  await server.text('execute_sequence', { sessionId: 'ann', actions });
  await server.text('list_sessions');
  const calls = async (uri: string) => {
    const { contents } = await server.client.readResource({ uri });
    const [content] = contents;
    return JSON.parse(content && 'text' in content ? content.text : '{}').calls as Record<string, unknown>[];
  };
  expect((await server.client.listResources()).resources.map(({ uri }) => uri)).toContain(
    'pwpool://activity',
  );
  expect((await calls('pwpool://activity')).slice(-5)).toMatchObject([
    { tool: 'start_browser', sessionId: 'ann', error: null },
    { tool: 'browser_navigate', sessionId: 'ann', error: null, elapsedMs: expect.any(Number) },
    { tool: 'browser_click', sessionId: 'ann', error: 'ELEMENT_NOT_FOUND' },
    { tool: 'execute_sequence', sessionId: 'ann', error: 'ELEMENT_NOT_FOUND' },
    { tool: 'list_sessions', sessionId: null, error: null },
  ]);
  expect(await calls('pwpool://activity/ann')).toHaveLength(4);
  await expect(server.client.readResource({ uri: 'pwpool://activity/nobody' })).rejects.toMatchObject({
    code: -32602,
  });
});
