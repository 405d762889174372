import type { Instance } from '../instance/instance.js';
import type { Availability } from './availability.js';
import type { Leasing } from './leasing.js';
import type { Members } from './members.js';
import { mayServe } from './pool-status.js';

/**
 * Which of these instances whoever asks next gets soonest: an idle one, if possible with a browser that runs and answers,
 * else the first that is worth waiting for. `undefined` if there is none of them.
 * @param headless those configured like this come first
 */
export function soonestOf(
  ids: readonly string[],
  members: Pick<Members, 'get'>,
  leasing: Pick<Leasing, 'isIdle'>,
  availability: Pick<Availability, 'answer' | 'refusal'>,
  headless?: boolean,
): string | undefined {
  const instances = ids.flatMap((id) => members.get(id) ?? []);
  const idle = instances.filter((instance) => leasing.isIdle(instance));
  const inMode = idle.filter(({ configured }) =>
    [undefined, configured.settings.headless].includes(headless),
  );
  const soundOf = (some: readonly Instance[]) =>
    some.find(({ state }) => state === 'healthy') ?? some.find(mayServe);
  const free = soundOf(inMode) ?? soundOf(idle) ?? inMode[0] ?? idle[0];
  const awaited = instances.find((instance) => !availability.refusal(instance));
  // What was given up a while ago is tried again, as whenever somebody asks, but not for this one.
  for (const instance of instances) availability.answer(instance);
  return (free ?? awaited ?? instances[0])?.id;
}
