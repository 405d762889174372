import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { inspectConfig, loadConfig } from '../../src/config/load-config.js';
import { formatViolations } from '../../src/config/violations.js';
import { PwpoolError } from '../../src/errors.js';
import { configOf, directoryWith, poolOf } from './sources.js';

describe('nothing configured', () => {
  it('is one lazy, isolated, headless chromium pool of eight, four to a browser [arch-config-09, arch-config-15, 000-key-03, 000-key-04, 000-key-05, 000-key-06, 000-key-07, 000-key-08]', () => {
    const config = loadConfig({ env: {}, cwd: directoryWith() });
    expect(config.pools).toHaveLength(1);
    const pool = poolOf(config, 'DEFAULT');
    expect(pool).toMatchObject({ isDefault: true, description: '', settings: { lazy: true } });
    expect(pool.instances.map(({ id, alias }) => ({ id, alias }))).toEqual(
      ['0', '1', '2', '3', '4', '5', '6', '7'].map((id) => ({ id, alias: null })),
    );
    expect(pool.instances[7]?.settings).toEqual({
      description: '',
      allowExternal: true,
      maxTabs: 1,
      attachTab: 'new',
      driver: 'embedded',
      endpoint: undefined,
      endpointHeaders: undefined,
      cdpPortBase: undefined,
      profilePrefix: 'Worker-',
      browser: 'chromium',
      headless: true,
      isolated: true,
      contextsPerBrowser: 4,
      wslWindows: false,
      executablePath: undefined,
      profileDir: undefined,
      timeout: 30_000,
      timeoutNavigation: 30_000,
      timeoutAction: 5000,
      settle: 'adaptive',
      timeoutSettle: 500,
      startTimeout: 30_000,
      timeoutExpect: 5000,
      reset: 'session',
      userDataDir: undefined,
      sandbox: undefined,
      proxyServer: undefined,
      proxyBypass: undefined,
      launchOptions: {},
      viewport: undefined,
      device: undefined,
      mobile: false,
      userAgent: undefined,
      storageState: undefined,
      permissions: [],
      ignoreHttpsErrors: false,
      blockServiceWorkers: false,
      contextOptions: {},
      initScript: [],
      initPage: [],
      allowedOrigins: [],
      blockedOrigins: [],
      allowUnrestrictedFileAccess: false,
      secrets: {},
      redactUrlParams: [],
      snapshotMode: 'full',
      snapshotInlineKb: 8,
      snapshotDiff: true,
      snapshotBoxes: false,
      imageResponses: 'allow',
      consoleLevel: 'info',
      codegen: 'typescript',
      saveSession: false,
      outputMaxSize: 100 * 1024 * 1024,
      filePaths: 'absolute',
    });
    const builtIn = { level: 'built-in', source: 'built-in', name: '' };
    const origins = [config.origins, pool.origins, ...pool.instances.map((instance) => instance.origins)];
    const ofPool = { ...builtIn, source: 'built-in pool' };
    const own = ['instances', 'isDefault', 'lazy', 'idleTimeout', 'isolated', 'contextsPerBrowser'];
    for (const [setting, origin] of origins.flatMap((record) => Object.entries(record)))
      expect(origin, setting).toEqual(own.includes(setting) ? ofPool : builtIn);
  });

  it.each([
    { ISOLATED: 'false' },
    { DRIVER: 'process' },
    { WSL_WINDOWS: 'true' },
    { ENDPOINT: 'ws://127.0.0.1:9222' },
    { CDP_PORT_BASE: '9222' },
  ])('a browser serves one instance only where it cannot be shared: %j', (variables) => {
    const [instance] = poolOf(configOf(variables), 'DEFAULT').instances;
    expect(instance?.settings.contextsPerBrowser).toBe(1);
  });

  it('has these pool and server settings', () => {
    const { server, pools } = configOf({});
    expect(pools[0]?.settings).toEqual({
      lazy: true,
      idleTimeout: 300_000,
      minIdle: 0,
      strategy: 'fifo',
      leaseTimeout: 50_000,
      leaseMax: undefined,
      leakThreshold: undefined,
      queueLimit: undefined,
      startConcurrency: 4,
      restartConcurrency: 1,
      healthInterval: 20_000,
      healthTimeout: 5000,
      healthFailures: 2,
      autoRestart: true,
      maxRestarts: 5,
      maxUses: undefined,
      maxAge: undefined,
      maxMemoryMb: undefined,
    });
    expect(server).toEqual({
      httpAllowedHosts: [],
      httpBehindProxy: false,
      httpHost: '127.0.0.1',
      httpPort: 8931,
      httpTlsCert: undefined,
      httpTlsKey: undefined,
      toolsAllow: [],
      toolsDeny: [],
      answerMaxKb: 40,
      blobMaxSizeMb: 100,
      blobQuotaMb: 1024,
      blobSizeThresholdKb: 50,
      blobTtlHours: 24,
      memoryHighWater: 95,
      toolset: 'playwright',
      caps: [],
      ignoreRoots: false,
      cpuHighWater: undefined,
      affinity: 'client',
      allowUnsafeCode: false,
      outputDir: undefined,
      testIdAttribute: 'data-testid',
      sessionDefault: 'strict',
      sessionIdleTimeout: 1_800_000,
      sessionWarnAt: 5,
      sessionLimit: undefined,
      sessionLimitPerClient: undefined,
      sessionRestore: true,
      sessionPreempt: 30_000,
      stateDir: undefined,
      stateKey: undefined,
      sitesFile: undefined,
      httpTokensFile: undefined,
      leaseFairness: 'principal',
      sessionGrace: 300_000,
      sharedLinger: 30_000,
      shutdownGrace: 5000,
      watchConfig: false,
      logLevel: 'info',
      logFile: undefined,
    });
  });

  it('global keys still apply over the built-in pool', () => {
    const pool = poolOf(configOf({ HEADLESS: 'false', ISOLATED: 'false', LAZY: 'false' }), 'DEFAULT');
    expect(pool.settings.lazy).toBe(false);
    expect(pool.origins.lazy).toEqual({ level: 'global', source: 'environment', name: 'PW_MCP_PROXY_LAZY' });
    expect(pool.instances).toHaveLength(8);
    expect(pool.instances[0]?.settings).toMatchObject({ headless: false, isolated: false });
    expect(pool.instances[0]?.origins.isolated.level).toBe('global');
    expect(pool.instances[0]?.origins.browser.level).toBe('built-in');
  });

  it('a pool that somebody defines gets none of the built-in pool, even under its name [000-key-04]', () => {
    const config = configOf({ _DEFAULT_INSTANCES: '1', _DEFAULT_IS_DEFAULT: 'true' });
    expect(config.pools).toHaveLength(1);
    expect(poolOf(config, 'DEFAULT').settings.lazy).toBe(false);
    expect(poolOf(config, 'DEFAULT').instances[0]?.settings.isolated).toBe(false);
  });
});

describe('hierarchy', () => {
  it('instance beats pool beats global [000-env-01, 000-env-02, 000-env-03, 000-env-04]', () => {
    const config = configOf({
      _A_INSTANCES: '2',
      _A_IS_DEFAULT: 'true',
      _B_INSTANCES: '1',
      TIMEOUT: '1',
      _A_TIMEOUT: '2',
      _A__1_TIMEOUT: '3',
    });
    const timeouts = config.pools.flatMap(({ instances }) =>
      instances.map(({ settings, origins }) => [settings.timeout, origins.timeout.level]),
    );
    expect(timeouts).toEqual([
      [2, 'pool'],
      [3, 'instance'],
      [1, 'global'],
    ]);
  });

  it('keys of a pool can be set globally', () => {
    const config = configOf({
      _A_INSTANCES: '1',
      _A_IS_DEFAULT: 'true',
      _B_INSTANCES: '1',
      LEASE_TIMEOUT: '7',
      _B_LEASE_TIMEOUT: '8',
    });
    expect(config.pools.map(({ settings }) => settings.leaseTimeout)).toEqual([7, 8]);
  });

  it('TIMEOUT_NAVIGATION falls back to the resolved TIMEOUT and its origin [arch-config-15]', () => {
    const pool = poolOf(
      configOf({ _A_INSTANCES: '2', _A_IS_DEFAULT: 'true', TIMEOUT: '100', _A__1_TIMEOUT: '200' }),
      'A',
    );
    expect(pool.instances.map(({ settings }) => settings.timeoutNavigation)).toEqual([100, 200]);
    expect(pool.instances[1]?.origins.timeoutNavigation).toEqual({
      level: 'instance',
      source: 'environment',
      name: 'PW_MCP_PROXY__A__1_TIMEOUT',
    });
  });

  it('TIMEOUT_NAVIGATION, once set, does not follow a narrower TIMEOUT', () => {
    const variables = {
      _A_INSTANCES: '1',
      _A_IS_DEFAULT: 'true',
      TIMEOUT_NAVIGATION: '50',
      _A__0_TIMEOUT: '9',
    };
    expect(configOf(variables).pools[0]?.instances[0]?.settings).toMatchObject({
      timeout: 9,
      timeoutNavigation: 50,
    });
  });
});

describe('IDLE_TIMEOUT, unless it is set', () => {
  const A = { _A_INSTANCES: '1', _A_IS_DEFAULT: 'true' };

  it('is 5 minutes in a lazy pool, told as the work of LAZY', () => {
    const { settings, origins } = poolOf(configOf({ ...A, _A_LAZY: 'true' }), 'A');
    expect(settings.idleTimeout).toBe(300_000);
    expect(origins.idleTimeout).toEqual({
      level: 'pool',
      source: 'environment',
      name: 'PW_MCP_PROXY__A_LAZY',
    });
  });

  it.each([A, { ...A, LAZY: 'true', _A_LAZY: 'false' }])('is never in an eager pool: %j', (variables) => {
    const { settings, origins } = poolOf(configOf(variables), 'A');
    expect(settings.idleTimeout).toBe(0);
    expect(origins.idleTimeout.level).toBe('built-in');
  });

  it('a value from any level beats it', () => {
    const pool = poolOf(configOf({ ...A, IDLE_TIMEOUT: '0', _A_LAZY: 'true' }), 'A');
    expect(pool.settings.idleTimeout).toBe(0);
    expect(pool.origins.idleTimeout.name).toBe('PW_MCP_PROXY_IDLE_TIMEOUT');
    expect(poolOf(configOf({ ...A, _A_IDLE_TIMEOUT: '7' }), 'A').settings.idleTimeout).toBe(7);
  });

  it('worker browsers start on demand unless told otherwise [004-lazy-01]', () => {
    const workers = { ...A, _A_CDP_PORT_BASE: '9222' };
    const lazy = poolOf(configOf(workers), 'A');
    expect(lazy.settings).toMatchObject({ lazy: true, idleTimeout: 300_000 });
    expect(lazy.origins.lazy.name).toBe('PW_MCP_PROXY__A_CDP_PORT_BASE');
    expect(poolOf(configOf({ ...workers, _A_LAZY: 'false' }), 'A').settings.lazy).toBe(false);
  });
});

describe('.env', () => {
  const pool = ['PW_MCP_PROXY__A_INSTANCES=2', 'PW_MCP_PROXY__A_IS_DEFAULT=true'];

  it('is read from the directory, quotes and comments included', () => {
    const cwd = directoryWith(
      ['# pools', ...pool, 'PW_MCP_PROXY__A_DESCRIPTION="For scraping"'].join('\r\n'),
    );
    const config = loadConfig({ env: {}, cwd });
    expect(poolOf(config, 'A').description).toBe('For scraping');
    expect(poolOf(config, 'A').instances).toHaveLength(2);
    expect(poolOf(config, 'A').origins.instances).toEqual({
      level: 'pool',
      source: 'dotenv',
      name: 'PW_MCP_PROXY__A_INSTANCES',
      location: '.env:2',
    });
  });

  it('yields to the environment, key by key [arch-config-06]', () => {
    const cwd = directoryWith([...pool, 'PW_MCP_PROXY_TIMEOUT=1', 'PW_MCP_PROXY_BROWSER=firefox'].join('\n'));
    const { settings, origins } =
      poolOf(loadConfig({ env: { PW_MCP_PROXY_TIMEOUT: '2' }, cwd }), 'A').instances[0] ?? {};
    expect(settings).toMatchObject({ timeout: 2, browser: 'firefox' });
    expect(origins?.timeout.source).toBe('environment');
    expect(origins?.browser.source).toBe('dotenv');
  });

  it('a narrower level in .env still beats a wider one in the environment', () => {
    const cwd = directoryWith([...pool, 'PW_MCP_PROXY__A_TIMEOUT=1'].join('\n'));
    const config = loadConfig({ env: { PW_MCP_PROXY_TIMEOUT: '2' }, cwd });
    expect(poolOf(config, 'A').instances[0]?.settings.timeout).toBe(1);
  });

  it('a variable of the environment hides a faulty one in the file', () => {
    const cwd = directoryWith([...pool, 'PW_MCP_PROXY_HEADLESS=yes'].join('\n'));
    expect(inspectConfig({ env: { PW_MCP_PROXY_HEADLESS: 'true' }, cwd }).violations).toEqual([]);
    expect(inspectConfig({ env: {}, cwd }).violations).toMatchObject([
      { message: 'PW_MCP_PROXY_HEADLESS is "yes" in .env, but must be true or false' },
    ]);
  });

  it('the same unknown name in both is one violation', () => {
    const cwd = directoryWith([...pool, 'PW_MCP_PROXY_HEADLES=true'].join('\n'));
    expect(inspectConfig({ env: { PW_MCP_PROXY_HEADLES: 'true' }, cwd }).violations).toHaveLength(1);
  });

  it('a byte order mark does not hide the first line', () => {
    const config = loadConfig({ env: {}, cwd: directoryWith(`\uFEFF${pool.join('\n')}`) });
    expect(poolOf(config, 'A').instances).toHaveLength(2);
  });

  it('that cannot be read is a violation beside the others', () => {
    const cwd = directoryWith();
    mkdirSync(join(cwd, '.env'));
    const { config, violations } = inspectConfig({ env: { PW_MCP_PROXY_HEADLESS: 'yes' }, cwd });
    expect(config).toBeUndefined();
    expect(violations.map(({ code }) => code)).toEqual(['DOTENV_UNREADABLE', 'INVALID_VALUE']);
    expect(violations[0]?.variable).toBe(join(cwd, '.env'));
  });
});

describe('other variables', () => {
  it('the PLAYWRIGHT_ names of version 1 and of Playwright itself are ignored [000-migration-01]', () => {
    const env = {
      PLAYWRIGHT_HEADLESS: 'perhaps',
      PLAYWRIGHT_BROWSER: 'firefox',
      PLAYWRIGHT_WSL_WINDOWS: 'true',
    };
    const config = loadConfig({ env: { ...env, PATH: '/bin', PW_MCP_PROXYX: '1' }, cwd: directoryWith() });
    expect(config.pools[0]?.instances[0]?.settings).toMatchObject({
      browser: 'chromium',
      headless: true,
      wslWindows: false,
    });
  });

  it('a variable that is undefined is not set', () => {
    expect(
      inspectConfig({ env: { PW_MCP_PROXY_HEADLESS: undefined }, cwd: directoryWith() }).violations,
    ).toEqual([]);
  });

  it('the environment of the process is the default', () => {
    vi.stubEnv('PW_MCP_PROXY_TIMEOUT', '1234');
    try {
      expect(loadConfig({ cwd: directoryWith() }).pools[0]?.instances[0]?.settings.timeout).toBe(1234);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('what a person sees', () => {
  const env = { PW_MCP_PROXY_INSTANCES: '3', PW_MCP_PROXY__X_HEADLES: 'true', PW_MCP_PROXY_TIMEOUT: 'soon' };

  it('the error counts and lists all violations, one a line, and carries them as data [arch-error-03, arch-config-08]', () => {
    const cwd = directoryWith();
    const { violations } = inspectConfig({ env, cwd });
    const error = (() => {
      try {
        return loadConfig({ env, cwd });
      } catch (thrown) {
        return thrown;
      }
    })();
    if (!(error instanceof PwpoolError)) throw new Error('Expected a PwpoolError.');
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.details).toEqual({ violations });
    const [head, ...lines] = error.message.split('\n');
    expect(head).toContain('3 violations');
    expect(lines).toHaveLength(3);
    expect(lines).toContainEqual(
      expect.stringMatching(/^- INSTANCES defined globally.*\(PW_MCP_PROXY_INSTANCES\)\. Move it/),
    );
    expect(error.message).toContain('Did you mean PW_MCP_PROXY__X_HEADLESS?');
  });

  it('formatViolations: a block each', () => {
    const { violations } = inspectConfig({ env: { PW_MCP_PROXY__X_HEADLES: 'true' }, cwd: directoryWith() });
    expect(formatViolations(violations)).toBe(
      [
        'PW_MCP_PROXY__X_HEADLES holds no known key',
        '  variable: PW_MCP_PROXY__X_HEADLES',
        '  fix: Did you mean PW_MCP_PROXY__X_HEADLESS?',
      ].join('\n'),
    );
    expect(formatViolations([...violations, ...violations]).split('\n\n')).toHaveLength(2);
  });
});
