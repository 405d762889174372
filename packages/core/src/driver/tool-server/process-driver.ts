import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../clock.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError, reasonOf } from '../../errors.js';
import type { BrowserDriver, BrowserHandle } from '../browser-driver.js';
import { notStarted } from '../driver-errors.js';
import { launchOptions, profileDirectory } from '../launch/launch-options.js';
import { makeScratchDirectory, removeScratchDirectory } from '../launch/scratch-directory.js';
import { startDeadline, startInTime } from '../start-deadline.js';
import type { ToolSettings } from '../tool-options.js';
import { OwnedToolServer } from './owned-tool-server.js';
import {
  type PlaywrightMcpCommand,
  playwrightMcpCommand,
  windowsPlaywrightMcpCommand,
} from './playwright-mcp-command.js';
import { ToolServerBrowser } from './tool-server-browser.js';

/**
 * Gives each instance a playwright-mcp process of its own, with a browser of its own (`DRIVER=process`, and in Windows
 * from within WSL with `WSL_WINDOWS=true`). The program is the one that comes with playwright-core.
 */
export class ProcessDriver implements BrowserDriver {
  readonly #clock: Clock;
  readonly #tools: ToolSettings;

  constructor(options: { clock: Clock } & ToolSettings) {
    this.#clock = options.clock;
    this.#tools = options;
  }

  async start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const timeoutMs = startDeadline(config);
    const onTimeout = () =>
      new PwpoolError(
        'BROWSER_NOT_READY',
        `The tool server of instance '${config.id}' of pool '${config.pool}' gave no answer within ${timeoutMs} ms.`,
        { hint: 'START_TIMEOUT sets the limit.', details: { pool: config.pool, instance: config.id } },
      );
    const options = { clock: this.#clock, timeoutMs, signals: [signal], onTimeout };
    try {
      return await startInTime(options, (stop) => this.#start(config, stop));
    } catch (error) {
      throw notStarted(config, error);
    }
  }

  async #start(config: InstanceConfig, signal: AbortSignal): Promise<BrowserHandle> {
    const scratch = await makeScratchDirectory();
    let command: PlaywrightMcpCommand;
    try {
      command = await this.#command(config, scratch);
    } catch (error) {
      await removeScratchDirectory(scratch);
      throw error;
    }
    const server = await OwnedToolServer.start({ config, clock: this.#clock, command, scratch }, signal);
    const browser = new ToolServerBrowser(server, config, this.#clock);
    try {
      await browser.open(signal);
      return browser;
    } catch (error) {
      await browser[Symbol.asyncDispose]();
      throw browser.lost.aborted ? new Error(reasonOf(browser.lost.reason)) : error;
    }
  }

  async #command(config: InstanceConfig, scratch: string): Promise<PlaywrightMcpCommand> {
    const { isolated, wslWindows } = config.settings;
    const require = createRequire(import.meta.url);
    if (wslWindows) {
      refuseOutsideWsl();
      const { version } = require('playwright-core/package.json') as { version: string };
      const { capabilities } = this.#tools;
      return windowsPlaywrightMcpCommand({ config, env: process.env, version, capabilities });
    }
    const cli = join(dirname(require.resolve('playwright-core/package.json')), 'cli.js');
    const launch = launchOptions(config, scratch);
    if (launch.channel === 'moz-firefox') throw installedFirefox(config);
    if (!isolated) await mkdir(profileDirectory(config), { recursive: true, mode: 0o700 });
    const tools = this.#tools;
    return playwrightMcpCommand({ config, cli, launch, scratch, tools, env: process.env });
  }
}

/** What makes Playwright get on with an installed Firefox (`firefox-bidi.ts`) works in this process only. */
function installedFirefox({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${id}' of pool '${pool}' cannot run an installed Firefox with DRIVER=process.`,
    { hint: 'Remove DRIVER, or run "npx playwright install firefox".', details: { pool, instance: id } },
  );
}

/** Every kernel of WSL says so in its release. */
function refuseOutsideWsl(): void {
  if (/microsoft/i.test(release())) return;
  throw new PwpoolError('BROWSER_NOT_READY', 'WSL_WINDOWS=true, but this machine is not WSL.', {
    hint: 'Remove WSL_WINDOWS, or run pwpool within WSL on a Windows with Node.js.',
  });
}
