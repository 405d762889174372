import { type Declaration, type Example, examples, withServer } from '../declaration.js';

const LIST: Example = ['pwpool sessions list', ''];
const LIST_JSON: Example = ["pwpool sessions list --json | jq -r '.sessions[].sessionId'", ''];
const SHOW: Example = ['pwpool sessions show alice', ''];
const CLOSE: Example = ['pwpool sessions close alice', ''];

export const declareSessions: Declaration = (program, action) => {
  const sessions = program
    .command('sessions')
    .summary('list, show and close sessions of a running server')
    .description('List, show and close the sessions of every client of a running server.')
    .helpCommand(false);
  withServer(sessions.command('list').summary('list them'))
    .description('List the sessions of every client, also those that are parked or have lost their browser.')
    .option('--json', 'print { sessions: […] } as JSON')
    .action(action(async () => (await import('./sessions.js')).listSessions))
    .addHelpText('after', helpEnding(LIST, LIST_JSON));
  withServer(sessions.command('show').summary('show all of one'))
    .description('Show all that is known of one session: its page, its browser, when it ends.')
    .argument('<session>', 'its name')
    .option('--client <id>', 'of this client, where several have one of that name')
    .option('--json', 'print { sessions: […] } as JSON')
    .action(action(async () => (await import('./sessions.js')).showSession))
    .addHelpText('after', helpEnding(SHOW));
  withServer(sessions.command('close').summary('end one'))
    .description('End a session and give its browser back; calls that name it afterwards are told so.')
    .argument('<session>', 'its name')
    .option('--client <id>', 'of this client, where several have one of that name')
    .option('--json', 'print what was closed as JSON')
    .action(action(async () => (await import('./sessions.js')).closeSession))
    .addHelpText('after', helpEnding(CLOSE));
  sessions.addHelpText('after', helpEnding(LIST, SHOW, CLOSE));
};

function helpEnding(...lines: readonly Example[]): string {
  return `${examples(...lines)}

Exit status: 0 done, 1 there is no such session, 2 no server runs, 64 several servers run.`;
}
