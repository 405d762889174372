import { askServers, type ServerAnswer, systemClock } from '@pwpool/core';
import { EXIT } from '../exit-status.js';
import { complain, describeError, print, printJson } from '../output.js';
import { describeServer } from '../status-view.js';

interface StatusOptions {
  json?: true;
  pid?: number;
}

/** Milliseconds that each server has to answer; it does so from memory. */
const ANSWER_MS = 5_000;

/** Shows the running servers of this user: exit status 0 when one answered, 1 when none did. */
export async function status(options: StatusOptions): Promise<number> {
  const all = await ask('/status');
  const answers = options.pid === undefined ? all : all.filter(({ entry }) => entry.pid === options.pid);
  if (answers.length === 0) {
    complain(noServer(options.pid, all));
    return EXIT.failure;
  }
  if (options.json) printAnswers(answers);
  else await describe(answers);
  return answers.some(({ ok }) => ok) ? EXIT.ok : EXIT.failure;
}

async function ask(path: string): Promise<ServerAnswer[]> {
  return await askServers(path, { timeoutMs: ANSWER_MS, clock: systemClock });
}

function noServer(pid: number | undefined, running: readonly ServerAnswer[]): string {
  if (pid !== undefined && running.length > 0) {
    const pids = running.map(({ entry }) => entry.pid).join(', ');
    return `No pwpool server of yours has process id ${pid}. Running: ${pids}.`;
  }
  return (
    'No pwpool server of yours is running.\n' +
    'Start one with "pwpool mcp": an MCP client does so when "npx pwpool mcp" is the command of the server in its settings.'
  );
}

/** One server's answer as it is; of several, a list that tells whose each is. */
function printAnswers(answers: readonly ServerAnswer[]): void {
  for (const answer of answers) if (!answer.ok) complain(describeError(answer.error));
  const [only] = answers;
  if (answers.length > 1) {
    printJson(
      answers.map((answer) => ({
        pid: answer.entry.pid,
        ...(answer.ok ? { status: answer.body } : { error: answer.error }),
      })),
    );
  } else if (only?.ok) {
    printJson(only.body);
  }
}

async function describe(answers: readonly ServerAnswer[]): Promise<void> {
  const sessions = new Map((await ask('/sessions')).map((answer) => [answer.entry.socketPath, answer]));
  const now = systemClock.now();
  const servers = answers.map((answer) => describeServer(answer, sessions.get(answer.entry.socketPath), now));
  print(servers.join('\n\n'));
}
