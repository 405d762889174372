import type { LoggingLevel } from '@modelcontextprotocol/server';
import type { BrowserPools, SessionManager } from '@pwpool/core';
import { mayUse } from '@pwpool/core/first-answers';
import type { LeakEvent, Principal, Unsubscribe } from '@pwpool/core/internal';
import { reasonOf } from '@pwpool/core/light';
import type { LogLevel } from './log-record.js';
import type { ServerLog } from './server-log.js';

/** What goes on with the browsers, in a line, and how bad it is. */
type Tell = (line: string, level: LoggingLevel) => void;

/** Writes to the log, for the person who runs the server, what becomes of the browsers behind it, and of the sessions. */
export function logEvents(pools: BrowserPools, sessions: SessionManager, log: ServerLog): void {
  tellOfBrowsers(pools, (line, level) => log.write(LEVEL_OF[level] ?? 'info', line));
  pools.on('lease-leaked', (event) =>
    log.write('warn', `${leaseOf(event)}: is it forgotten? Taken ${event.takenAt}`),
  );
  pools.on('leak-ended', (event) => log.write('info', `${leaseOf(event)}, and has come back.`));
  sessions.on('session-ended', ({ reason, ...about }) =>
    log.write('info', `Session '${about.session}' ended. ${reason}`, about),
  );
  pools.on('instance-started', (event) =>
    log.write('debug', `${nameOf(event)} started in ${event.elapsedMs} ms.`),
  );
}

const LEVEL_OF: Readonly<Partial<Record<LoggingLevel, LogLevel>>> = { error: 'error', warning: 'warn' };

/** Tells what becomes of the browsers that a caller may use, and nothing of who holds them. */
export function tellOfBrowsers(pools: BrowserPools, tell: Tell, caller?: Principal): Unsubscribe {
  const tellOf = (event: { pool: string; instance: string }, what: string, level: LoggingLevel) => {
    if (mayUse(caller, event.pool)) tell(`${nameOf(event)} ${what}`, level);
  };
  const ends = [
    pools.on('instance-start-failed', (event) =>
      tellOf(event, `did not start: ${reasonOf(event.error)}`, 'error'),
    ),
    pools.on('instance-lost', (event) =>
      tellOf(event, `was lost (${event.cause}): ${event.reason}`, 'warning'),
    ),
    pools.on('instance-given-up', (event) =>
      tellOf(event, `is given up. Its last failure: ${event.reason ?? 'unknown'}`, 'error'),
    ),
    pools.on('instance-recycled', (event) => tellOf(event, `gets a new browser: it ${event.text}.`, 'info')),
    pools.on('pressure', ({ reason }) =>
      tell(
        reason === undefined ? 'Browsers are started again.' : `No browser is started: ${reason}.`,
        reason === undefined ? 'info' : 'warning',
      ),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function nameOf({ pool, instance }: { pool: string; instance: string }): string {
  return `Instance '${instance}' of pool '${pool}'`;
}

function leaseOf(event: LeakEvent): string {
  const whose = event.principal === undefined ? '' : ` of ${event.principal}`;
  return `${nameOf(event)} was held by ${event.holder}${whose} for ${Math.round(event.heldMs / 1000)} s`;
}
