import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../src/config/data-directory.js';
import {
  playwrightMcpCommand,
  windowsPlaywrightMcpCommand,
} from '../../src/driver/tool-server/playwright-mcp-command.js';
import { instanceConfig } from './process-driver-fixture.js';

const scratch = '/tmp/pwpool-1-abcdef';
const env = {
  PATH: '/bin',
  HOME: '/home/me',
  DEBUG: 'pw:api',
  DEBUG_FILE: '/tmp/log',
  PLAYWRIGHT_MCP_PORT: '8931',
  PLAYWRIGHT_BROWSERS_PATH: '/browsers',
  TMPDIR: '/tmp',
  UNSET: undefined,
};

describe('the tool server on this machine', () => {
  const launch = {
    headless: true,
    executablePath: '/usr/bin/chromium',
    args: ['--no-first-run'],
    env: { SECRET: 'no' },
  };
  const commandOf = (settings: Parameters<typeof instanceConfig>[0], options: object = {}) =>
    playwrightMcpCommand({
      config: instanceConfig(settings),
      cli: '/lib/cli.js',
      launch,
      scratch,
      tools: { outputDir: '/out' },
      env,
      ...options,
    });

  it('is the mcp command of playwright-core, and launches the browser with the options of the embedded driver', () => {
    const path = join(scratch, 'playwright-mcp.json');
    const command = commandOf({ timeoutAction: 1_000, timeoutNavigation: 2_000, timeoutSettle: 3 });
    expect(command).toMatchObject({
      command: process.execPath,
      args: ['/lib/cli.js', 'mcp', '--config', path],
    });
    expect(command.configFile).toMatchObject({
      path,
      content: {
        browser: {
          browserName: 'chromium',
          isolated: true,
          launchOptions: {
            headless: true,
            executablePath: '/usr/bin/chromium',
            args: ['--no-first-run'],
            chromiumSandbox: false,
          },
        },
        capabilities: ['core'],
        webmcp: false,
        outputDir: '/out/WEB-0',
        outputMaxSize: 100 * 1024 * 1024,
        filePaths: 'absolute',
        timeouts: { action: 1_000, navigation: 3_000, settle: 3, expect: 5_000, idle: 0 },
      },
    });
  });

  it.each([
    ['chromium', 'chromium'],
    ['chrome', 'chromium'],
    ['msedge', 'chromium'],
    ['firefox', 'firefox'],
    ['webkit', 'webkit'],
  ] as const)('runs %s by the engine of %s', (browser, engine) => {
    expect(commandOf({ browser }).configFile?.content.browser.browserName).toBe(engine);
  });

  it('gives an instance that is not isolated its own profile directory', () => {
    const { browser } = commandOf({ isolated: false, profileDir: '/profiles' }).configFile?.content ?? {};
    expect(browser).toMatchObject({ isolated: false, userDataDir: join('/profiles', 'WEB', '0') });
  });

  it('hands on the environment without what would change the server, and keeps all files in the scratch directory', () => {
    expect(commandOf({}).env).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      PLAYWRIGHT_BROWSERS_PATH: '/browsers',
      DEBUG: 'pw:browser,pw:mcp:backend',
      TMPDIR: scratch,
      PWTEST_SOCKETS_DIR: scratch,
      PWTEST_SERVER_REGISTRY: join(scratch, 'registry'),
    });
    // Where the path is too long for Chromium's socket, the system's folder is left in use.
    const long = `/tmp/${'long'.repeat(20)}`;
    expect(commandOf({}, { scratch: long }).env).toMatchObject({ TMPDIR: '/tmp' });
    expect(commandOf({}, { scratch: long }).env).not.toHaveProperty('PWTEST_SOCKETS_DIR');
  });
});

describe("the tool server of Windows' Node", () => {
  const commandOf = (settings: Parameters<typeof instanceConfig>[0], wsl: object = env) =>
    windowsPlaywrightMcpCommand({ config: instanceConfig(settings), env: { ...wsl }, version: '1.65.1' });

  it('[000-example-04] is started through cmd.exe and npx, headed Edge with a profile of its own', () => {
    const { command, args, configFile } = commandOf({ browser: 'msedge', headless: false, isolated: false });
    expect([command, ...args].join(' ')).toBe(
      'cmd.exe /d /c cd /d %LOCALAPPDATA% && npx.cmd -y playwright-core@1.65.1 mcp --browser msedge ' +
        `--user-data-dir pwpool\\profiles\\${projectFolder()}\\WEB\\0 ` +
        '--output-dir pwpool\\output\\WEB-0 --output-max-size 104857600 ' +
        '--file-paths absolute --timeout-action 5000 --timeout-navigation 31000 --timeout-settle 0 --idle-timeout 0 ' +
        '--no-webmcp',
    );
    expect(configFile).toBeUndefined();
  });

  it('offers the groups of tools that CAPS names', () => {
    const version = '1.65.1';
    const capabilities = ['pdf', 'storage'] as const;
    const { args } = windowsPlaywrightMcpCommand({ config: instanceConfig({}), env, version, capabilities });
    expect(args.join(' ')).toContain('--caps pdf,storage');
  });

  it('says headless and isolated by flags, and takes paths on Windows drives', () => {
    const { args } = commandOf({ executablePath: '/mnt/c/Program Files/App/chrome.exe' });
    expect(args).toEqual(
      expect.arrayContaining(['--headless', '--isolated', 'C:\\Program Files\\App\\chrome.exe']),
    );
    expect(args).not.toContain('--user-data-dir');
    const kept = commandOf({ isolated: false, profileDir: '/mnt/d/profiles' }).args;
    expect(kept).toContain('D:\\profiles\\WEB\\0');
    expect(() => commandOf({ isolated: false, profileDir: '/home/me/profiles' })).toThrow(
      'With WSL_WINDOWS=true, PROFILE_DIR cannot be /home/me/profiles.',
    );
  });

  it('lets only its own variable cross to Windows, besides those that the user lets', () => {
    expect(commandOf({}).env).toMatchObject({ DEBUG: 'pw:browser,pw:mcp:backend', WSLENV: 'DEBUG' });
    expect(commandOf({}, { WSLENV: 'HOME/p' }).env['WSLENV']).toBe('HOME/p:DEBUG');
  });
});
