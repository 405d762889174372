import type { CONTEXT_KEYS } from './context-keys.js';
import { type Endpoint, parseEndpoint } from './endpoint.js';
import type { INSTANCE_KEYS } from './instance-keys.js';
import type { InstanceConfig } from './model.js';

export type InstanceKey = keyof typeof INSTANCE_KEYS | keyof typeof CONTEXT_KEYS;

/** How an instance gets its browser [arch-driver-05, arch-driver-06, arch-driver-08]. */
export type InstanceDriver = 'embedded' | 'process' | 'endpoint' | 'worker';

type Choice = readonly [key: InstanceKey, driver: InstanceDriver];

/** What somebody chose for the instance, from whichever level: a default chooses nothing. */
export function driverChoices({ settings, origins }: InstanceConfig): Choice[] {
  const { driver, wslWindows, endpoint, cdpPortBase } = settings;
  const choices: (Choice | false)[] = [
    driver !== undefined && origins.driver.level !== 'built-in' && ['DRIVER', driver],
    wslWindows === true && ['WSL_WINDOWS', 'process'],
    endpoint !== undefined && ['ENDPOINT', 'endpoint'],
    cdpPortBase !== undefined && ['CDP_PORT_BASE', 'worker'],
  ];
  return choices.filter((choice) => choice !== false);
}

/** The driver of the instance; undefined when more than one is chosen, which no valid configuration does. */
export function driverOf(instance: InstanceConfig): InstanceDriver | undefined {
  const drivers = new Set(driverChoices(instance).map(([, driver]) => driver));
  const [driver = 'embedded'] = drivers;
  return drivers.size > 1 ? undefined : driver;
}

/** The browser with a debugging port that the instance is attached to, if it is. */
export function cdpEndpointOf(instance: InstanceConfig): Endpoint | undefined {
  if (driverOf(instance) !== 'endpoint') return undefined;
  const endpoint = parseEndpoint(instance.settings.endpoint ?? '');
  return endpoint?.kind === 'cdp' ? endpoint : undefined;
}

/** The debugging port of a worker browser: `CDP_PORT_BASE` and the number of the instance. */
export function workerPortOf(instance: InstanceConfig): number | undefined {
  const { cdpPortBase } = instance.settings;
  if (cdpPortBase === undefined || driverOf(instance) !== 'worker') return undefined;
  return cdpPortBase + Number(instance.id);
}
