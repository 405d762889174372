import type { Clock } from '../../clock.js';
import { type Endpoint, parseEndpoint } from '../../config/endpoint.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { PlaywrightBrowser } from '../playwright/playwright-browser.js';
import { startDeadline, startInTime } from '../start-deadline.js';
import type { ToolSettings } from '../tool-options.js';
import { noAnswer, notAttached } from './attached-failure.js';
import { attach } from './attached-seat.js';

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
  readonly #tools: ToolSettings;

  constructor(options: { clock: Clock } & ToolSettings) {
    this.#clock = options.clock;
    this.#tools = options;
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const endpoint = browserEndpointOf(config);
    const timeoutMs = startDeadline(config);
    const onTimeout = () => noAnswer(config, endpoint, timeoutMs);
    const options = { clock: this.#clock, timeoutMs, signals: [signal], onTimeout };
    try {
      return await startInTime(options, async (stop) => {
        const seat = await attach({ config, endpoint, clock: this.#clock, timeoutMs }, stop);
        const place = { config, seat, clock: this.#clock, tools: this.#tools };
        return await PlaywrightBrowser.open(place, stop);
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
    `ENDPOINT of instance '${id}' of pool '${pool}' is not a browser.`,
    {
      hint: 'ENDPOINT is ws:// of a Playwright server, or http:// of a browser with a debugging port.',
      details: { pool, instance: id },
    },
  );
}
