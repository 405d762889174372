import { cancel, confirm, intro, isCancel, multiselect, outro, select, text } from '@clack/prompts';
import { AGENT_CLIENTS, type AgentClient } from './agent-clients/clients.js';

/** What a person decides. */
export interface Answers {
  instances: number;
  browser: string;
  headless: boolean;
  isolated: boolean;
  clients: readonly AgentClient[];
}

const BROWSERS = ['chromium', 'chrome', 'msedge', 'firefox', 'webkit'];

/** Asks a person, with what is preset as the first choice; undefined when they leave. */
export async function ask(preset: Answers): Promise<Answers | undefined> {
  intro('pwpool: browsers for agents');
  const instances = await text({
    message: 'How many browsers?',
    initialValue: String(preset.instances),
    validate: (value) =>
      /^[1-9]\d{0,2}$|^1000$/.test(value ?? '') ? undefined : 'A whole number from 1 to 1000.',
  });
  if (isCancel(instances)) return left();
  const browser = await select({
    message: 'Which browser?',
    initialValue: preset.browser,
    options: BROWSERS.map((value) => ({ value })),
  });
  if (isCancel(browser)) return left();
  const headless = await confirm({
    message: 'Without windows (headless)?',
    initialValue: preset.headless,
  });
  if (isCancel(headless)) return left();
  const keepsLogins = await confirm({
    message: 'Keep logins: a profile on disk for each browser?',
    initialValue: !preset.isolated,
  });
  if (isCancel(keepsLogins)) return left();
  const clients = await multiselect<AgentClient>({
    message: 'Which clients are to use it? (space marks, enter ends)',
    initialValues: [...preset.clients],
    options: AGENT_CLIENTS.map((client) => ({ value: client, label: client.title })),
    required: false,
  });
  if (isCancel(clients)) return left();
  outro('Done asking.');
  return { instances: Number(instances), browser, headless, isolated: !keepsLogins, clients };
}

function left(): undefined {
  cancel('Nothing was written.');
  return undefined;
}
