import { driverOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { LeaseOptions } from './lease-options.js';

/** Whether the instance runs in that mode, or can be relaunched in it: its browser is launched for it alone. */
export function canRun(config: InstanceConfig, headless: boolean | undefined): boolean {
  if (headless === undefined || config.settings.headless === headless) return true;
  const driver = driverOf(config);
  return driver === 'embedded' || driver === 'process';
}

/**
 * Those of the instances that can run in the mode that a lease asks for.
 * @throws PwpoolError `INVALID_ARGUMENTS` when none can
 */
export function thoseThatRun(
  instances: readonly InstanceConfig[],
  { instance, headless }: Pick<LeaseOptions, 'instance' | 'headless'>,
): InstanceConfig[] {
  const able = instances.filter((config) => canRun(config, headless));
  const [first] = instances;
  if (able.length > 0 || !first) return able;
  const which = instance === undefined ? 'No instance' : `Instance '${instance}'`;
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `${which} of pool '${first.pool}' can${instance === undefined ? '' : 'not'} run with headless ${headless}: pwpool does not launch that browser for one session.`,
    { hint: 'Leave headless out, or name another pool.', details: { pool: first.pool, headless } },
  );
}
