import type { Clock } from '../clock.js';
import { parseEndpoint } from '../config/endpoint.js';
import { driverChoices, driverOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import { AttachedBrowserDriver } from './attached/attached-browser-driver.js';
import type { BrowserDriver, BrowserHandle } from './browser-driver.js';
import { EmbeddedDriver } from './embedded/embedded-driver.js';
import { sweepScratchDirectories } from './launch/scratch-directory.js';
import type { ToolSettings } from './tool-options.js';
import { AttachedToolsDriver } from './tool-server/attached-tools-driver.js';
import { ProcessDriver } from './tool-server/process-driver.js';
import { WorkerDriver } from './worker/worker-driver.js';

type DriverName = 'embedded' | 'process' | 'attached-browser' | 'attached-tools' | 'worker';

/** Starts each browser with the driver that the configuration of its instance chooses. */
export class ConfiguredDriver implements BrowserDriver {
  readonly #drivers: Readonly<Record<DriverName, BrowserDriver>>;
  #swept: Promise<void> | undefined;

  constructor(options: { clock: Clock } & ToolSettings) {
    this.#drivers = {
      embedded: new EmbeddedDriver(options),
      process: new ProcessDriver(options),
      'attached-browser': new AttachedBrowserDriver(options),
      'attached-tools': new AttachedToolsDriver(options),
      worker: new WorkerDriver(options),
    };
  }

  /**
   * As the driver does. The first start clears away what servers that were killed have left.
   * @throws PwpoolError `CONFIG_INVALID` when the configuration chooses more than one driver; its rules find the same before
   */
  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const driver = this.#drivers[nameOf(config)];
    this.#swept ??= sweepScratchDirectories();
    await this.#swept;
    return await driver.start(config, signal);
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
