import { PwpoolError } from '../errors.js';
import { thoseThatRun } from '../pool/placement.js';
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
  const fitting = thoseThatRun(named, wanted).filter(({ settings }) => !withState || settings.isolated);
  if (fitting.length === 0) throw profileInTheWay(pool.name);
  if (fitting.length === pool.config.instances.length) return instance;
  return pool.soonestOf(
    fitting.map(({ id }) => id),
    headless,
  );
}

function profileInTheWay(pool: string): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `Pool '${pool}' keeps profiles on disk (ISOLATED=false), which a saved state would overwrite.`,
    { hint: 'Use restore and from with a pool that has ISOLATED=true.', details: { pool } },
  );
}
