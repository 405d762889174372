import { PwpoolError } from '@pwpool/core';
import { type ControlOperations, defineOperation, isShownAs } from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';

const named = z.strictObject({ sessionId: z.string(), client: z.string().optional() });

/** What can be done to sessions, whoever started them. */
export function sessionOperations(server: OperatedServer): ControlOperations {
  return {
    'sessions/close': defineOperation(named, async (given) => {
      const session = find(server, given);
      await server.sessions.end(session.client, session.sessionId);
      server.log.write('info', `Session '${session.sessionId}' of ${session.client} was closed by command.`, {
        client: session.client,
        session: session.sessionId,
      });
      return { success: true, session };
    }),
  };
}

/** Clients choose names by themselves, so that two may have the same. */
function find({ sessions }: OperatedServer, { sessionId, client }: z.infer<typeof named>) {
  const all = sessions.all();
  const [found, ...more] = all.filter(
    (session) =>
      isShownAs(session.sessionId, sessionId) && (client === undefined || session.client === client),
  );
  if (!found) {
    throw new PwpoolError('SESSION_NOT_FOUND', `There is no session '${sessionId}'.`, {
      hint: `There are: ${all.map((session) => `${session.sessionId} (${session.client})`).join(', ') || 'none'}.`,
    });
  }
  if (more.length === 0) return found;
  const clients = [found, ...more].map((session) => session.client);
  throw new PwpoolError('SESSION_AMBIGUOUS', `${clients.length} clients have a session '${sessionId}'.`, {
    hint: `Name the client too: ${clients.join(', ')}.`,
  });
}
