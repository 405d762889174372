import { join } from 'node:path';
import { PwpoolError } from '@pwpool/core';
import {
  asConfigFile,
  CONFIG_FILE_NAMES,
  inspectSettings,
  reasonOf,
  type WrittenSetting,
} from '@pwpool/core/internal';
import {
  AGENT_CLIENTS,
  type AgentClient,
  type Places,
  type ServerCommand,
} from '../agent-clients/clients.js';
import { addEntry, entryAlone, type Merge } from '../agent-clients/entry.js';
import { complainOf } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import type { Answers } from '../init-questions.js';
import { complain, print, tell } from '../output.js';
import { ownCommand } from '../own-command.js';
import { createFile, readIfThere, rewriteFile } from '../safe-file.js';

interface InitOptions {
  yes?: true;
  instances?: number;
  browser?: string;
  headed?: true;
  keepLogins?: true;
  client?: readonly string[];
  print?: true;
}

const [CONFIG_FILE] = CONFIG_FILE_NAMES;
const POOL = { level: 'pool', pool: 'DEFAULT' } as const;

/** Writes a configuration file and adds pwpool to clients: never over what is somebody else's. */
export async function init(options: InitOptions): Promise<number> {
  const preset: Answers = {
    instances: options.instances ?? 4,
    browser: options.browser ?? 'chromium',
    headless: options.headed !== true,
    isolated: options.keepLogins !== true,
    clients: AGENT_CLIENTS.filter(({ name }) => options.client?.includes(name)),
  };
  const isAsked = options.yes !== true;
  if (isAsked && !(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new PwpoolError('INVALID_ARGUMENTS', 'There is nobody to ask here: no terminal.', {
      hint: 'Give --yes, and what is to differ from the defaults: pwpool init --yes --client claude-code.',
    });
  }
  // The prompts are only loaded to be shown.
  const answers = isAsked ? await (await import('../init-questions.js')).ask(preset) : preset;
  if (answers === undefined) return EXIT.interrupted;
  const settings = settingsOf(answers);
  const violations = inspectSettings(settings);
  if (violations.length > 0) {
    complainOf(violations);
    return EXIT.usage;
  }
  const project = process.cwd();
  const places: Places = { project, env: process.env, platform: process.platform };
  if (!options.print) await writeConfig(join(project, CONFIG_FILE), settings);
  let status: number = EXIT.ok;
  for (const client of answers.clients) {
    const isDone = await tellClient(client, places, options.print === true);
    if (!isDone) status = EXIT.failure;
  }
  if (answers.clients.length === 0) {
    tell('For an MCP client, where it has its servers (or give --client):');
    print(plainEntry(places));
  }
  return status;
}

async function writeConfig(path: string, settings: readonly WrittenSetting[]): Promise<void> {
  for (const name of CONFIG_FILE_NAMES) {
    if ((await readIfThere(join(path, '..', name))) === '') continue;
    tell(`Kept ${name}: it is there already. "pwpool config" shows what it sets.`);
    return;
  }
  const isWritten = await createFile(path, `${asConfigFile(settings)}\n`);
  tell(isWritten ? `Wrote ${path}. "pwpool doctor" tries it out.` : `Kept ${path}: it is there already.`);
}

/** @returns false when the client has still to be told */
async function tellClient(client: AgentClient, places: Places, isPrinted: boolean): Promise<boolean> {
  const file = client.file(places);
  const server = serverOf(client, places);
  if (isPrinted) {
    complain(`For ${client.title}, in ${file}:`);
    print(entryAlone(client, server).trimEnd());
    return true;
  }
  const merge = await mergeInto(file, client, server);
  if (merge.outcome === 'kept') {
    complain(`Kept ${file}: ${merge.reason}. Put this in by hand:`);
    print(entryAlone(client, server).trimEnd());
    return false;
  }
  if (merge.outcome === 'there') tell(`${client.title} knows pwpool already: ${file}`);
  else tell(`Added pwpool to ${client.title}: ${file}`);
  return true;
}

/** Puts the entry into a client's file; one that cannot be read or written is kept as well. */
async function mergeInto(file: string, client: AgentClient, server: ServerCommand): Promise<Merge> {
  try {
    const before = await readIfThere(file);
    const merge = addEntry(client, server, before);
    if (merge.outcome !== 'added') return merge;
    if (before !== '') await rewriteFile(file, merge.text);
    else if (!(await createFile(file, merge.text)))
      return { outcome: 'kept', reason: 'it has just been written' };
    return merge;
  } catch (error) {
    return { outcome: 'kept', reason: reasonOf(error) };
  }
}

function serverOf({ fileInProject }: AgentClient, places: Places): ServerCommand {
  const config = fileInProject ? ['--config', fileInProject(CONFIG_FILE, places)] : [];
  return ownCommand(['mcp', ...config]);
}

/** For a client that is not in the list, or of somebody who wants to do it by hand. */
function plainEntry(places: Places): string {
  const { command, args } = ownCommand(['mcp', '--config', join(places.project, CONFIG_FILE)]);
  return JSON.stringify({ mcpServers: { pwpool: { command, args } } }, null, 2);
}

function settingsOf({ instances, browser, headless, isolated }: Answers): WrittenSetting[] {
  const setting = (key: WrittenSetting['key'], value: WrittenSetting['value'], comment?: string) => ({
    place: POOL,
    key,
    value,
    comment,
  });
  return [
    setting('INSTANCES', instances, 'browsers, each for one caller at a time'),
    setting('IS_DEFAULT', true),
    setting('LAZY', true, 'each starts when it is first needed'),
    setting('BROWSER', browser),
    setting('HEADLESS', headless),
    setting(
      'ISOLATED',
      isolated,
      isolated ? 'nothing is kept' : 'a profile on disk for each, with its logins',
    ),
    // Contexts of one browser: a third of the memory.
    ...(isolated ? [setting('CONTEXTS_PER_BROWSER', 4, 'how many share one process')] : []),
  ];
}
