import type { PwpoolConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { Session } from '../session/session.js';
import type { SessionManager } from '../session/session-manager.js';
import type { Target, TargetedCall } from './call.js';

/**
 * The session that a call reaches; `undefined` when it takes a one-shot lease:
 *
 * | the call names               | it reaches                                                                           |
 * | ---------------------------- | ------------------------------------------------------------------------------------ |
 * | a session                    | that one; beside it only the pool and the instance that it has: `TARGET_CONFLICT`     |
 * | a pool, an instance, or both | a one-shot lease there                                                               |
 * | nothing                      | the client's current session; `ClientSessions` says which, or that it is ambiguous    |
 * | nothing, and none is current | with `AFFINITY=client` a session of its own, with `call` a one-shot lease             |
 * | nothing, without connection  | a one-shot lease: nothing tells the windows of one client apart                       |
 *
 * @throws PwpoolError `SESSION_NOT_FOUND`, `SESSION_EXPIRED`, `SESSION_AMBIGUOUS`, `TARGET_CONFLICT`, else as
 *   `SessionManager.start`
 */
export async function sessionFor(
  { client, target = {}, signal, onWait }: TargetedCall,
  sessions: SessionManager,
  { affinity }: PwpoolConfig['server'],
): Promise<Session | undefined> {
  const { sessionId, pool, instance } = target;
  if (sessionId !== undefined) {
    const session = sessions.get(client.id, sessionId);
    checkAgreement(session, target);
    return session;
  }
  if (pool !== undefined || instance !== undefined || client.connected === false) return undefined;
  const current = sessions.current(client.id);
  if (current || affinity === 'call') return current;
  const root = async () => await client.root?.read();
  return await sessions.own(client.id, { principal: client.principal, root, signal, onWait });
}

/** A session may be named together with the pool and the instance that it has, and with no others. */
function checkAgreement(session: Session, target: Target): void {
  const { pool, id, alias } = session.config;
  const agrees =
    (target.pool === undefined || target.pool === pool) &&
    (target.instance === undefined || target.instance === id || target.instance === alias);
  if (agrees) return;
  throw new PwpoolError(
    'TARGET_CONFLICT',
    `Session '${session.id}' uses instance '${id}' of pool '${pool}', not the one that the call names.`,
    {
      hint: 'Name the session alone, or leave sessionId out.',
      details: {
        sessionId: session.id,
        ...(target.pool === undefined ? {} : { browser_pool: target.pool }),
        ...(target.instance === undefined ? {} : { browser_instance: target.instance }),
      },
    },
  );
}
