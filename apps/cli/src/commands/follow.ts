import { PwpoolError } from '@pwpool/core';
import { askOperation, systemClock } from '@pwpool/core/internal';
import { EXIT } from '../exit-status.js';
import { Interruption } from '../interruption.js';
import { print } from '../output.js';
import { onServer, type ServerOptions } from '../running-server.js';
import { printable } from '../table.js';

interface LogsOptions extends ServerOptions {
  lines: number;
  follow?: true;
  json?: true;
}

interface EventsOptions extends ServerOptions {
  pool?: string;
  json?: true;
}

/** Shows the latest lines of a server's log, and goes on with those that come. */
export async function logs({ lines, follow, json, ...options }: LogsOptions): Promise<number> {
  return await listen(options, 'logs', { lines, follow: follow ?? false }, json ? jsonLine : logLine);
}

/** Shows what happens to a server's pools, as it happens. */
export async function events({ pool, json, ...options }: EventsOptions): Promise<number> {
  const input = pool === undefined ? {} : { pool };
  return await listen(options, 'events', input, json ? jsonLine : eventLine);
}

async function listen(
  options: ServerOptions,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  lineOf: (told: Readonly<Record<string, unknown>>) => string,
): Promise<number> {
  return await onServer(options, async (entry) => {
    using interruption = new Interruption();
    // As behind "| head".
    interruption.endWithOutput(EXIT.ok);
    const onTold = (told: unknown) => {
      if (typeof told === 'object' && told !== null) print(lineOf(Object.fromEntries(Object.entries(told))));
    };
    try {
      await askOperation(entry, operation, input, {
        clock: systemClock,
        signal: interruption.signal,
        onTold,
      });
      return EXIT.ok;
    } catch (error) {
      if (error instanceof PwpoolError && error.code === 'CANCELLED') return EXIT.ok;
      throw error;
    }
  });
}

function jsonLine(told: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(told);
}

function logLine({ time, level, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  return printable([time, String(level).toUpperCase().padEnd(5), msg, ...pairs(fields)].join(' '));
}

function eventLine({ time, event, pool, instance, ...fields }: Readonly<Record<string, unknown>>): string {
  const where = pool === undefined ? [] : [instance === undefined ? pool : `${pool}/${instance}`];
  return printable([time, event, ...where, ...pairs(fields)].join(' '));
}

function pairs(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined || typeof value === 'object' ? [] : [`${name}=${String(value)}`],
  );
}
