import { PwpoolError } from '../errors.js';
import type { Pool } from '../pool/pool.js';

/** What a session asks of its instance. */
export interface WantedInstance {
  /** Numeric id or alias; any if left out. */
  instance?: string | undefined;
  headless?: boolean | undefined;
  /** A state is to be brought in, which would replace every login that a profile on disk has kept. */
  withState: boolean;
}

/**
 * Which instance of a pool to lease: of those that will do the one that is had soonest; `undefined` when any will do.
 * @throws PwpoolError `INVALID_ARGUMENTS` when none will do, before anyone waits for one
 */
export function chooseInstance(pool: Pool, wanted: WantedInstance): string | undefined {
  const { instance, headless, withState } = wanted;
  const named = pool.config.instances.filter(
    ({ id, alias }) => instance === undefined || instance === id || instance === alias,
  );
  // That there is none of the name is told by whoever leases.
  if (named.length === 0) return instance;
  const inMode = named.filter(({ settings }) => headless === undefined || settings.headless === headless);
  if (inMode.length === 0) throw noneInMode(pool.name, wanted);
  const fitting = inMode.filter(({ settings }) => !withState || settings.isolated);
  if (fitting.length === 0) throw profileInTheWay(pool.name);
  if (fitting.length === pool.config.instances.length) return instance;
  return pool.soonestOf(fitting.map(({ id }) => id));
}

function noneInMode(pool: string, { instance, headless }: WantedInstance): PwpoolError {
  const which = instance === undefined ? 'No instance' : `Instance '${instance}'`;
  const has = instance === undefined ? 'has' : 'does not have';
  return new PwpoolError('INVALID_ARGUMENTS', `${which} of pool '${pool}' ${has} headless ${headless}.`, {
    hint: 'Leave headless out, or name a pool whose HEADLESS is set like this.',
    details: { pool, headless },
  });
}

function profileInTheWay(pool: string): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `Pool '${pool}' keeps profiles on disk (ISOLATED=false), which a saved state would overwrite.`,
    { hint: 'Use restore and from with a pool that has ISOLATED=true.', details: { pool } },
  );
}
