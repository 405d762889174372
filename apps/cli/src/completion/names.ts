import type { Tool } from '@pwpool/core';
import { askStatus, systemClock } from '@pwpool/core/internal';
import { inspectConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { printable } from '../table.js';
import { onToolHost } from '../tool-host.js';
import type { NameKind } from './stops.js';

/** Milliseconds that a server has to answer: somebody waits with a finger on the key. */
const ANSWER_MS = 1_000;

/** A name, and what it is. */
type Named = readonly [name: string, meaning: string];

const NAMES: Readonly<Record<NameKind, () => Promise<Named[]>>> = { pools, servers, sessions, tools };

/** The names that may stand at a place at the moment, a line each, with a tab and what it is. */
export async function namesNow(kind: NameKind): Promise<string[]> {
  const found = new Map(await NAMES[kind]());
  return [...found].map(([name, meaning]) => `${printable(name)}\t${printable(meaning)}`);
}

/** Of the configuration here, and of running servers. */
async function pools(): Promise<Named[]> {
  const { config } = await inspectConfiguration({});
  const running = (await reports()).flatMap(({ entry, status }) =>
    (status?.pools ?? []).map(({ name }): Named => [name, `of the server ${entry.pid}`]),
  );
  return [...(config?.pools ?? []).map(({ name }): Named => [name, 'configured here']), ...running];
}

async function servers(): Promise<Named[]> {
  return (await reports()).map(({ entry: { pid, cwd, httpAddress } }) => [
    String(pid),
    httpAddress === null ? `in ${cwd}` : `in ${cwd}, on ${httpAddress}`,
  ]);
}

async function sessions(): Promise<Named[]> {
  return (await reports()).flatMap(({ status }) =>
    (status?.sessions ?? []).map(({ sessionId, client, browser_pool }): Named => {
      return [sessionId, `of ${client}, in ${browser_pool}`];
    }),
  );
}

async function tools(): Promise<Named[]> {
  using interruption = new Interruption();
  const found: Named[] = [];
  await onToolHost({}, interruption.signal, async (ask) => {
    const { tools: offered } = (await ask('tools', {})) as { tools: Tool[] };
    for (const { name, description = '' } of offered) found.push([name, description.split('\n')[0] ?? '']);
    return EXIT.ok;
  });
  return found;
}

async function reports() {
  return await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
}
