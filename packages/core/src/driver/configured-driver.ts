import type { Clock } from '../clock.js';
import { parseEndpoint } from '../config/endpoint.js';
import { driverChoices, driverOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { BrowserDriver, BrowserHandle } from './browser-driver.js';
import { sweepScratchDirectories } from './launch/scratch-directory.js';
import type { ToolSettings } from './tool-options.js';

type DriverOptions = { clock: Clock } & ToolSettings;
type DriverName = 'embedded' | 'process' | 'attached-browser' | 'attached-tools' | 'worker';

/** Each is loaded with the first browser that it starts: what a driver is built on is most of what pwpool loads. */
const DRIVERS: Readonly<Record<DriverName, (options: DriverOptions) => Promise<BrowserDriver>>> = {
  embedded: async (options) => new (await import('./embedded/embedded-driver.js')).EmbeddedDriver(options),
  process: async (options) => new (await import('./tool-server/process-driver.js')).ProcessDriver(options),
  'attached-browser': async (options) =>
    new (await import('./attached/attached-browser-driver.js')).AttachedBrowserDriver(options),
  'attached-tools': async (options) =>
    new (await import('./tool-server/attached-tools-driver.js')).AttachedToolsDriver(options),
  worker: async (options) => new (await import('./worker/worker-driver.js')).WorkerDriver(options),
};

/** Starts each browser with the driver that the configuration of its instance chooses. */
export class ConfiguredDriver implements BrowserDriver {
  readonly #options: DriverOptions;
  readonly #drivers = new Map<DriverName, Promise<BrowserDriver>>();
  #swept: Promise<void> | undefined;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /**
   * As the driver does. The first start clears away what servers that were killed have left.
   * @throws PwpoolError `CONFIG_INVALID` when the configuration chooses more than one driver; its rules find the same before
   */
  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const driver = this.#driver(nameOf(config));
    this.#swept ??= sweepScratchDirectories();
    await this.#swept;
    return await (await driver).start(config, signal);
  }

  #driver(name: DriverName): Promise<BrowserDriver> {
    const driver = this.#drivers.get(name) ?? DRIVERS[name](this.#options);
    this.#drivers.set(name, driver);
    return driver;
  }
}

function nameOf(config: InstanceConfig): DriverName {
  const driver = driverOf(config);
  if (driver === undefined) {
    const keys = driverChoices(config).map(([key]) => key);
    throw new PwpoolError(
      'CONFIG_INVALID',
      `Instance '${config.id}' of pool '${config.pool}' has more than one driver: ${keys.join(', ')}.`,
      { hint: 'Keep one of them.', details: { pool: config.pool, instance: config.id, keys } },
    );
  }
  if (driver !== 'endpoint') return driver;
  const kind = parseEndpoint(config.settings.endpoint ?? '')?.kind;
  return kind === 'mcp-http' || kind === 'mcp-sse' ? 'attached-tools' : 'attached-browser';
}
