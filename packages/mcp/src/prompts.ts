import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';

type Given = Readonly<Record<string, string>>;

/** A prompt that teaches an agent what this server is for. */
interface TeachingPrompt extends Prompt {
  text(given: Given): string;
}

export const PROMPTS: readonly TeachingPrompt[] = [
  {
    name: 'parallel-agents',
    title: 'Work in parallel',
    description: 'Have sub-agents work at the same time, each in a browser session of its own',
    arguments: [{ name: 'task', description: 'What is to be done', required: true }],
    text: ({ task }) => `Have sub-agents do this in parallel, each in a browser session of its own: ${task}

1. Split it into parts that do not depend on each other, one for each sub-agent. browser_pool_status tells how many browsers are available; more sub-agents than that wait for each other.
2. Give each sub-agent its part and these rules:
   - Call start_browser first, and pass the sessionId that it returns with every browser tool. Never use the sessionId of somebody else.
   - Steps that need no look at the page between them go into one browser_execute_bulk.
   - An error has a code and a hint: do what the hint says before you repeat the call.
   - Report what you found, with the address of the page where you found it.
   - Call close_session when you are done, also if you failed: others may be waiting for the browser.
3. Compare the reports. Where two contradict each other, look at the page yourself, in a session of your own.
4. Call list_sessions, and close what was left open.`,
  },
  {
    name: 'multi-user-test',
    title: 'Test with several users',
    description: 'Test a page that several users use at the same time, such as a chat',
    arguments: [
      { name: 'url', description: 'The page', required: true },
      { name: 'scenario', description: 'What the users do, and what each should see', required: true },
      { name: 'users', description: 'Their names, separated by commas; default: alice, bob' },
    ],
    text: ({ url, scenario, users }) => {
      const names = namesIn(users);
      const starts = names.map(
        (name) => `   start_browser(${JSON.stringify({ sessionId: name, navigationUrl: url })})`,
      );
      return `Test ${url} with ${names.length} users at the same time: ${scenario}

1. Start a session for each user. Isolated sessions share no cookies, so each user signs in for itself:
${starts.join('\n')}
2. Pass the user's sessionId with every call. What a user does without a look at the page goes into one call, such as
   execute_sequence({ sessionId, actions: [{ action: "set_value", selector, value }, { action: "click_element", selector }] }).
3. After one user has acted, wait in the other's session for what should appear there, rather than for a time:
   browser_wait_for({ sessionId, text }).
4. Then look at what each user sees, with browser_snapshot. Report each step: who did it, what was expected, what was seen.
5. Close every session with close_session, also after a failure.`;
    },
  },
];

/** Answers `prompts/list` and `prompts/get`. */
export function servePrompts(server: Server): void {
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ text: _, ...prompt }) => prompt),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) =>
    promptOf(name, given),
  );
}

function promptOf(name: string, given: Given): GetPromptResult {
  const prompt = PROMPTS.find((each) => each.name === name);
  if (!prompt) {
    const names = PROMPTS.map((each) => each.name).join(', ');
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt '${name}'. There are: ${names}.`,
    );
  }
  const missing = prompt.arguments?.filter((each) => each.required && !given[each.name]?.trim()) ?? [];
  if (missing.length > 0) {
    const wanted = missing.map((each) => `'${each.name}' (${each.description})`).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} needs ${wanted}.`);
  }
  return {
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
  };
}

function namesIn(users = ''): string[] {
  const names = users.split(',').flatMap((name) => name.trim() || []);
  return names.length > 0 ? names : ['alice', 'bob'];
}
