import { type BrowserPools, PwpoolError } from '@pwpool/core';
import type { LeakEvent } from '@pwpool/core/internal';

/** Writes to the log, for the person who runs the server, what goes wrong with the browsers behind it. */
export function logEvents(pools: BrowserPools, log: (line: string) => void): void {
  pools.on('instance-start-failed', (event) =>
    log(`${nameOf(event)} did not start: ${reasonOf(event.error)}`),
  );
  pools.on('instance-lost', (event) => log(`${nameOf(event)} was lost (${event.cause}): ${event.reason}`));
  pools.on('instance-given-up', (event) =>
    log(`${nameOf(event)} is given up. Its last failure: ${event.reason ?? 'unknown'}`),
  );
  pools.on('instance-recycled', (event) => log(`${nameOf(event)} gets a new browser: it ${event.text}.`));
  pools.on('lease-leaked', (event) => log(`${leaseOf(event)}: is it forgotten? Taken ${event.takenAt}`));
  pools.on('leak-ended', (event) => log(`${leaseOf(event)}, and has come back.`));
  pools.on('pressure', ({ reason }) =>
    log(reason === undefined ? 'Browsers are started again.' : `No browser is started: ${reason}.`),
  );
}

function nameOf({ pool, instance }: { pool: string; instance: string }): string {
  return `Instance '${instance}' of pool '${pool}'`;
}

function leaseOf(event: LeakEvent): string {
  return `${nameOf(event)} was held by ${event.holder} for ${Math.round(event.heldMs / 1000)} s`;
}

function reasonOf(error: unknown): string {
  return error instanceof PwpoolError ? error.message : String(error);
}
