import { PwpoolError } from '@pwpool/core';
import { askOperation, askStatus, isShownAs, type ServerEntry, systemClock } from '@pwpool/core/internal';
import { EXIT } from '../exit-status.js';
import { print, printJson, tell } from '../output.js';
import { onServer, type ServerOptions } from '../running-server.js';
import { sessionsOf, sessionTable } from '../status-view.js';
import { formatTable, printable, terminalWidth } from '../table.js';

interface SessionsOptions extends ServerOptions {
  client?: string;
  json?: true;
}

/** Milliseconds that a server has to answer; it does so from memory. */
const ANSWER_MS = 5_000;

/** Lists the sessions of every client of a running server. */
export async function listSessions(options: SessionsOptions): Promise<number> {
  return await onServer(options, async (entry) => {
    const sessions = await sessionsAt(entry);
    if (options.json) printJson({ sessions });
    else if (sessions.length === 0) print('No sessions');
    else print(sessionTable(sessions, systemClock.now(), '', terminalWidth()));
    return EXIT.ok;
  });
}

/** Shows all that is known of one session. */
export async function showSession(sessionId: string, options: SessionsOptions): Promise<number> {
  return await onServer(options, async (entry) => {
    const found = (await sessionsAt(entry)).filter(
      (session) =>
        isShownAs(session.sessionId, sessionId) && (options.client ?? session.client) === session.client,
    );
    if (found.length === 0) {
      throw new PwpoolError('SESSION_NOT_FOUND', `There is no session '${sessionId}'.`, {
        hint: '"pwpool sessions list" shows those that there are.',
      });
    }
    if (options.json) printJson({ sessions: found });
    else tell(found.map((session) => formatTable(Object.entries(session).map(fieldOf))).join('\n\n'));
    return EXIT.ok;
  });
}

/** Ends a session, whoever started it. */
export async function closeSession(sessionId: string, options: SessionsOptions): Promise<number> {
  return await onServer(options, async (entry) => {
    const input = { sessionId, ...(options.client === undefined ? {} : { client: options.client }) };
    const result = await askOperation(entry, 'sessions/close', input, { clock: systemClock });
    if (options.json) printJson(result);
    else print(printable(`Session '${sessionId}' is closed. Its client is told at its next call.`));
    return EXIT.ok;
  });
}

async function sessionsAt(entry: ServerEntry): Promise<ReturnType<typeof sessionsOf>> {
  const reports = await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
  const report = reports.find((each) => each.entry.socketPath === entry.socketPath);
  if (!report) return [];
  if (report.error) throw report.error;
  return sessionsOf(report);
}

function fieldOf([name, value]: [string, unknown]): [string, string] {
  return [name, value === null ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value)];
}
