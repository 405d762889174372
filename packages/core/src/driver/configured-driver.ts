import type { Clock } from '../clock.js';
import { parseEndpoint } from '../config/endpoint.js';
import { driverOf } from '../config/instance-driver.js';
import type { InstanceConfig } from '../config/model.js';
import { AttachedBrowserDriver } from './attached/attached-browser-driver.js';
import type { BrowserDriver, BrowserHandle } from './browser-driver.js';
import { EmbeddedDriver } from './embedded/embedded-driver.js';
import { AttachedToolsDriver } from './tool-server/attached-tools-driver.js';
import { ProcessDriver } from './tool-server/process-driver.js';
import { WorkerDriver } from './worker/worker-driver.js';

type DriverName = 'embedded' | 'process' | 'attached-browser' | 'attached-tools' | 'worker';

/** Starts each browser with the driver that the configuration of its instance chooses (architecture section 7). */
export class ConfiguredDriver implements BrowserDriver {
  readonly #drivers: Readonly<Record<DriverName, BrowserDriver>>;

  /** @param outputDir root of the folders that tools write files to; one below it for each instance */
  constructor(options: { clock: Clock; outputDir: string }) {
    this.#drivers = {
      embedded: new EmbeddedDriver(options),
      process: new ProcessDriver(options),
      'attached-browser': new AttachedBrowserDriver(options),
      'attached-tools': new AttachedToolsDriver(options),
      worker: new WorkerDriver(options),
    };
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    return await this.#drivers[nameOf(config)].start(config, signal);
  }
}

function nameOf(config: InstanceConfig): DriverName {
  const driver = driverOf(config) ?? 'embedded';
  if (driver !== 'endpoint') return driver;
  const kind = parseEndpoint(config.settings.endpoint ?? '')?.kind;
  return kind === 'mcp-http' || kind === 'mcp-sse' ? 'attached-tools' : 'attached-browser';
}
