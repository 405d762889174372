import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Chat, startChat } from './fixtures/chat.js';
import { errorOf, packedPool, pool, poolsOf, StdioServer, textOf, titleOf } from './fixtures/stdio-server.js';

/** One connection for all of it: the sub-agents of one agent share the connection of their parent. */
let server: StdioServer;
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
  server = await StdioServer.start({
    ...packedPool('DEFAULT', 2),
    ...pool('HASTY', 1, { IS_DEFAULT: 'false', TIMEOUT_NAVIGATION: '4000' }),
  });
});

afterEach(async () => {
  await server.text('close_all_sessions');
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
});

/** What a sub-agent does that has been told which session is its own. */
function agentOf(sessionId: string) {
  // A busy machine may take longer over a message than an action may.
  const seeText = (text: string) => server.text('browser_wait_for', { sessionId, text, time: 30 });
  return {
    async logIn(user: string): Promise<void> {
      await server.text('browser_type', { sessionId, target: '#user', text: user, submit: true });
      await seeText(`Logged in as ${user}`);
    },
    /** Sends a message, which comes back to its sender as to everyone. */
    async send(text: string): Promise<void> {
      await server.text('browser_type', { sessionId, target: '#message-input', text });
      await server.text('browser_click', { sessionId, target: '#send-button' });
      await seeText(text);
    },
    /** Waits for a message to be on the page, then reads all of them. */
    async read(text: string): Promise<string[]> {
      await seeText(text);
      const snapshot = await server.text('browser_snapshot', { sessionId });
      return [...snapshot.matchAll(/^ *- listitem(?: \[[^\]]*\])*: (.*)$/gm)].map(([, item]) => item ?? '');
    },
  };
}

async function start(args: Record<string, string>): Promise<string> {
  const answer = await server.call('start_browser', args);
  expect(answer.isError, textOf(answer)).toBeUndefined();
  return (answer.structuredContent as { sessionId: string }).sessionId;
}

describe('a chat of several users', () => {
  it('a message that Alice sends in her session is read in Bob’s, as from her [003-pattern-04, 003-start-02]', {
    tags: ['at-length'],
  }, async () => {
    await start({ sessionId: 'alice', navigationUrl: chat.url });
    await start({ sessionId: 'bob', navigationUrl: chat.url });
    const [alice, bob] = [agentOf('alice'), agentOf('bob')];
    await alice.logIn('alice');
    await bob.logIn('bob');
    await alice.send('Hello Bob!');
    expect(await bob.read('Hello Bob!')).toEqual(['"alice: Hello Bob!"']);
    await bob.send('Hello yourself');
    expect(await alice.read('Hello yourself')).toEqual(['"alice: Hello Bob!"', '"bob: Hello yourself"']);
    expect(chat.messages).toEqual([
      { from: 'alice', text: 'Hello Bob!' },
      { from: 'bob', text: 'Hello yourself' },
    ]);
  });
});

describe('sub-agents on one connection', () => {
  it('work at once in the sessions that their parent started for them [003-pattern-01]', async () => {
    await start({ sessionId: 'user-a', navigationUrl: chat.url });
    await start({ sessionId: 'user-b', navigationUrl: chat.url });
    const before = chat.messages.length;
    const work = async (sessionId: string, user: string) => {
      const agent = agentOf(sessionId);
      await agent.logIn(user);
      for (const number of [1, 2, 3]) await agent.send(`number ${number} of ${user}`);
    };
    await Promise.all([work('user-a', 'carol'), work('user-b', 'dave')]);
    const verify = async (sessionId: string, other: string) =>
      await agentOf(sessionId).read(`number 3 of ${other}`);
    const [readByCarol, readByDave] = await Promise.all([
      verify('user-a', 'dave'),
      verify('user-b', 'carol'),
    ]);

    expect(readByCarol).toEqual(readByDave);
    const sent = chat.messages.slice(before);
    expect(sent).toHaveLength(6);
    for (const user of ['carol', 'dave']) {
      expect(sent.filter(({ from }) => from === user).map(({ text }) => text)).toEqual(
        [1, 2, 3].map((number) => `number ${number} of ${user}`),
      );
    }
  });

  it('start, use and close sessions of their own, more of them than there are browsers [003-pattern-02, 003-id-01]', {
    tags: ['at-length'],
  }, async () => {
    const used: string[] = [];
    const work = async (user: string) => {
      const sessionId = await start({ navigationUrl: chat.url });
      used.push(sessionId);
      const agent = agentOf(sessionId);
      await agent.logIn(user);
      await agent.send(`${user} was here`);
      const messages = await agent.read(`${user} was here`);
      await server.text('close_session', { sessionId });
      return messages;
    };
    const users = ['erin', 'frank', 'grace', 'heidi'];
    const read = await Promise.all(users.map(work));
    for (const [index, user] of users.entries()) {
      expect(read[index]).toContain(`"${user}: ${user} was here"`);
    }
    for (const sessionId of used) expect(sessionId).toMatch(/^browser-[1-4]$/);
    expect((await server.call('list_sessions')).structuredContent).toEqual({
      sessions: [],
      currentSession: null,
    });
    expect((await poolsOf(server))[0]).toMatchObject({ leased_instances: 0, available_instances: 2 });
  });

  it('do the same on pools of different configuration, and their parent compares what they saw [003-pattern-03]', {
    tags: ['at-length'],
  }, async () => {
    await Promise.all([
      start({ sessionId: 'patient', browser_pool: 'DEFAULT' }),
      start({ sessionId: 'hasty', browser_pool: 'HASTY' }),
    ]);
    const { sessions } = (await server.call('list_sessions')).structuredContent as { sessions: unknown };
    expect(sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ sessionId: 'patient', browser_pool: 'DEFAULT' }),
        expect.objectContaining({ sessionId: 'hasty', browser_pool: 'HASTY' }),
      ]),
    );
    const work = async (sessionId: string) =>
      await server.call('browser_navigate', { sessionId, url: `${chat.url}/slow` });
    const patient = work('patient');
    expect(errorOf(await work('hasty')).code).toBe('NAVIGATION_TIMEOUT');
    chat.release();
    expect(titleOf(textOf(await patient))).toBe('Slow');
    expect(await server.text('browser_snapshot', { sessionId: 'hasty' })).toContain('about:blank');
  });
});
