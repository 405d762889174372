import { driverOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import { refusal } from './availability.js';
import type { LeaseOptions } from './lease-options.js';
import { retryGivenUp } from './policies/recovery.js';
import type { PoolContext } from './pool-context.js';
import { mayServe } from './pool-status.js';
import type { Slot } from './slot.js';

/** Whether the instance runs in that mode, or can be relaunched in it: its browser is launched for it alone. */
function canRun(config: InstanceConfig, headless: boolean | undefined): boolean {
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

/** The instance for a lease that asks for a mode; else what it asks for. */
export function placeFor(pool: PoolContext, { instance, headless }: LeaseOptions): string | undefined {
  if (headless === undefined) return instance;
  const wanted = instance === undefined ? undefined : pool.slots.find(instance);
  const slots = wanted ? [wanted] : [...pool.slots];
  const able = thoseThatRun(
    slots.map((slot) => slot.instance.configured),
    { instance, headless },
  );
  const anyWillDo = able.length === slots.length && !slots.some(({ isIdle }) => isIdle);
  if (wanted || anyWillDo) return instance;
  return soonestOf(
    pool,
    able.map(({ id }) => id),
    headless,
  );
}

/**
 * Which of these instances whoever asks next gets soonest: an idle one, if possible with a browser that runs and answers,
 * else the first that is worth waiting for. `undefined` if there is none of them.
 * @param headless those configured like this come first
 */
export function soonestOf(pool: PoolContext, ids: readonly string[], headless?: boolean): string | undefined {
  const slots = ids.flatMap((id) => pool.slots.get(id) ?? []);
  const idle = slots.filter(({ isIdle }) => isIdle);
  const inMode = idle.filter(({ instance }) =>
    [undefined, instance.configured.settings.headless].includes(headless),
  );
  const soundOf = (some: readonly Slot[]) =>
    some.find(({ instance }) => instance.state === 'healthy') ??
    some.find(({ instance }) => mayServe(instance));
  const free = soundOf(inMode) ?? soundOf(idle) ?? inMode[0] ?? idle[0];
  const awaited = slots.find((slot) => !refusal(pool, slot));
  // What was given up a while ago is tried again, as whenever somebody asks, but not for this one.
  for (const slot of slots) retryGivenUp(pool, slot);
  return (free ?? awaited ?? slots[0])?.id;
}
