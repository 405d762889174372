import { type Clock, withDeadline } from '../../clock.js';
import { type Endpoint, parseEndpoint } from '../../config/endpoint.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { noAnswer, notAttached } from './attached-failure.js';
import { openSeat } from './attached-open.js';
import { attach } from './attached-seat.js';

/** The part of `START_TIMEOUT` that a start has here, so that what it says of its failure comes before the instance's. */
const START_SHARE = 0.9;

/**
 * Leases browsers that run already: behind a Playwright server, or with a debugging port (`ENDPOINT`). It connects and
 * disconnects, and ends none of them.
 *
 * Each instance has a connection of its own, and a context of its own; only over CDP with `ISOLATED=false` does it work
 * in the browser's profile, with its logins, and there it leaves the tabs of others alone. A connection that is lost is
 * the end of that instance's browser; the pool's next start connects anew.
 */
export class AttachedBrowserDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #outputDir: string;

  /** @param outputDir root of the folders that tools write files to; one below it for each instance */
  constructor(options: { clock: Clock; outputDir: string }) {
    this.#clock = options.clock;
    this.#outputDir = options.outputDir;
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const endpoint = browserEndpointOf(config);
    const timeoutMs = config.settings.startTimeout * START_SHARE;
    const onTimeout = () => noAnswer(config, endpoint, timeoutMs);
    const options = { clock: this.#clock, timeoutMs, signals: [signal], onTimeout };
    try {
      return await withDeadline(options, 'start', async (stop) => {
        const seat = await attach({ config, endpoint, clock: this.#clock, timeoutMs });
        return await openSeat({ config, seat, clock: this.#clock, outputDir: this.#outputDir }, stop);
      });
    } catch (error) {
      throw notAttached(config, endpoint, error);
    }
  }
}

function browserEndpointOf({ pool, id, settings }: InstanceConfig): Endpoint {
  const endpoint = parseEndpoint(settings.endpoint ?? '');
  if (endpoint?.kind === 'cdp' || endpoint?.kind === 'playwright-server') return endpoint;
  throw new PwpoolError(
    'BROWSER_NOT_READY',
    `ENDPOINT of instance '${id}' of pool '${pool}' is no browser.`,
    {
      hint: 'ENDPOINT is ws:// of a Playwright server, or http:// of a browser with a debugging port.',
      details: { pool, instance: id },
    },
  );
}
