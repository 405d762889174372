import { join } from 'node:path';
import type { BrowserContextOptions, LaunchOptions } from 'playwright';
import { projectFolder } from '../../config/data-directory.js';
import type { InstanceConfig } from '../../config/model.js';
import { PwpoolError } from '../../errors.js';
import { BROWSER_LOG } from '../../upstream/browser-log.js';
import { type UpstreamConfig, upstreamConfig } from '../../upstream/embedded-tools.js';
import { contextOptions } from '../launch/context-options.js';
import { engineOf } from '../launch/engine.js';
import { profileDirectory } from '../launch/launch-options.js';
import { isShort, scratchEnvironment } from '../launch/scratch-directory.js';
import { outputFolder, ownFolders, type ToolSettings, toolOptions } from '../tool-options.js';

/** How to start the tool server of one instance. */
export interface PlaywrightMcpCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** A file to write before: what upstream reads as `--config`. */
  configFile: { path: string; content: PlaywrightMcpConfig } | undefined;
}

/** What upstream's `--config` file may say, as far as pwpool uses it. */
interface PlaywrightMcpConfig extends Omit<UpstreamConfig, 'timeouts' | 'browser'> {
  browser: Partial<UpstreamConfig['browser']> & {
    browserName: 'chromium' | 'firefox' | 'webkit';
    isolated: boolean;
    userDataDir?: string;
    launchOptions: LaunchOptions;
    contextOptions: BrowserContextOptions;
  };
  timeouts: UpstreamConfig['timeouts'] & { idle: 0 };
}

interface CommandOptions {
  config: InstanceConfig;
  /** Path of the `cli.js` of the playwright-core that pwpool comes with: its command `mcp` is playwright-mcp. */
  cli: string;
  /** As the embedded driver would launch the browser. */
  launch: LaunchOptions;
  /** The instance's own directory for files that go with its browser. */
  scratch: string;
  tools: ToolSettings;
  /** The environment to pass on. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * The tool server on this machine. It launches the browser with the very options of the embedded driver, so neither has
 * a sandbox or a channel that the other has not. Pure.
 */
export function playwrightMcpCommand(options: CommandOptions): PlaywrightMcpCommand {
  const { config, scratch } = options;
  const { browser, isolated } = config.settings;
  // The environment goes to the tool server, and from there to the browser.
  const { env: _, ...launch } = options.launch;
  const path = join(scratch, 'playwright-mcp.json');
  const {
    timeouts,
    browser: init,
    ...tools
  } = upstreamConfig(toolOptions(config, options.tools, ownFolders(config, options.tools)));
  const content: PlaywrightMcpConfig = {
    browser: {
      ...init,
      browserName: engineOf(browser),
      isolated,
      ...(isolated ? {} : { userDataDir: profileDirectory(config) }),
      // Playwright's default, which upstream turns round on some systems.
      launchOptions: { ...launch, chromiumSandbox: launch.chromiumSandbox ?? false },
      contextOptions: contextOptions(config),
    },
    ...tools,
    // Upstream closes a headless browser that was idle for an hour. Here the pool decides.
    timeouts: { ...timeouts, idle: 0 },
  };
  const env = { ...inherited(options.env), ...scratchEnvironment(scratch), DEBUG: BROWSER_LOG };
  return {
    command: process.execPath,
    args: [options.cli, 'mcp', '--config', path],
    env: { ...env, ...registryEnvironment(scratch) },
    configFile: { path, content },
  };
}

/**
 * The same tool server run by Windows' Node from within WSL, by `cmd.exe /c npx.cmd` [000-example-04]. The
 * browser is that of Windows, so nothing is looked for here, and files are put below `%LOCALAPPDATA%\pwpool` unless
 * PROFILE_DIR names a directory of a Windows drive. Pure.
 * @param version of playwright-core, so that both sides speak of the same tools
 * @throws PwpoolError `BROWSER_NOT_READY` for a path that Windows cannot have
 */
export function windowsPlaywrightMcpCommand(
  options: Pick<CommandOptions, 'config' | 'env'> & Pick<ToolSettings, 'capabilities'> & { version: string },
): PlaywrightMcpCommand {
  const { config, env, capabilities } = options;
  const { browser, headless, isolated, executablePath, profileDir } = config.settings;
  const { timeouts, ...tools } = upstreamConfig(
    toolOptions(config, { outputDir: '', capabilities }, { root: '', outputDir: '' }),
  );
  const profiles =
    profileDir === undefined
      ? `pwpool\\profiles\\${projectFolder()}`
      : windowsPath('PROFILE_DIR', profileDir);
  const flags = {
    browser,
    'executable-path': executablePath && windowsPath('EXECUTABLE_PATH', executablePath),
    'user-data-dir': isolated ? undefined : `${profiles}\\${config.pool}\\${config.id}`,
    'output-dir': `pwpool\\output\\${outputFolder(config)}`,
    'output-max-size': tools.outputMaxSize,
    'file-paths': tools.filePaths,
    'timeout-action': timeouts.action,
    'timeout-navigation': timeouts.navigation,
    'timeout-settle': timeouts.settle,
    'idle-timeout': 0,
    caps: capabilities?.length ? capabilities.join(',') : undefined,
  };
  const values = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return {
    command: 'cmd.exe',
    args: [
      // No AutoRun commands. cmd.exe cannot start in a directory of WSL, and `cd` takes a path with spaces unquoted.
      ...['/d', '/c', 'cd', '/d', '%LOCALAPPDATA%', '&&'],
      ...['npx.cmd', '-y', `playwright-core@${options.version}`, 'mcp'],
      ...values,
      ...(headless ? ['--headless'] : []),
      ...(isolated ? ['--isolated'] : []),
      '--no-webmcp',
    ],
    // Only the variables that WSLENV names get to Windows.
    env: {
      ...inherited(env),
      DEBUG: BROWSER_LOG,
      WSLENV: [env['WSLENV'], 'DEBUG'].filter(Boolean).join(':'),
    },
    configFile: undefined,
  };
}

/** The environment without what would change the tool server behind pwpool's back, or the form of its log. */
function inherited(env: CommandOptions['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(?:PLAYWRIGHT_MCP_|PWMCP_|DEBUG$|DEBUG_)/.test(entry[0]),
    ),
  );
}

/** Upstream writes each browser into a register of the user, and leaves it there when it is killed. */
function registryEnvironment(scratch: string): Record<string, string> {
  return {
    PWTEST_SERVER_REGISTRY: join(scratch, 'registry'),
    ...(isShort(scratch) ? { PWTEST_SOCKETS_DIR: scratch } : {}),
  };
}

/** `/mnt/c/Users/me` is `C:\Users\me`. */
function windowsPath(key: string, path: string): string {
  if (/^[A-Za-z]:[\\/]/.test(path)) return path;
  const [, drive, rest = ''] = /^\/mnt\/([a-z])(\/.*)?$/.exec(path) ?? [];
  if (drive !== undefined) return `${drive.toUpperCase()}:${rest.replaceAll('/', '\\') || '\\'}`;
  throw new PwpoolError('BROWSER_NOT_READY', `With WSL_WINDOWS=true, ${key} cannot be ${path}.`, {
    hint: `Set ${key} to a path on a Windows drive, such as /mnt/c/pwpool.`,
    details: { path },
  });
}
