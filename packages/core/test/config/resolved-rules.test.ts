import { describe, expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config-input.js';
import { violationsOf } from './sources.js';

const A = { _A_INSTANCES: '3', _A_IS_DEFAULT: 'true' };
const CDP = 'http://127.0.0.1:9222';
const SERVER = 'ws://127.0.0.1:4444/a1';

const codesOf = (variables: Record<string, string>) => violationsOf(variables).map(({ code }) => code);

describe('one driver an instance', () => {
  it('an endpoint and worker browsers: one violation for all instances that have both', () => {
    expect(violationsOf({ ...A, _A_ENDPOINT: SERVER, _A_CDP_PORT_BASE: '9222' })).toEqual([
      {
        code: 'MULTIPLE_DRIVERS',
        message: 'More than one driver chosen for 3 instances of A: ENDPOINT, CDP_PORT_BASE',
        variable: 'PW_MCP_PROXY__A_ENDPOINT, PW_MCP_PROXY__A_CDP_PORT_BASE',
        fix: 'Keep one of them for an instance, and remove the others.',
      },
    ]);
  });

  it.each([
    { _A_DRIVER: 'process', _A_ENDPOINT: SERVER },
    { _A_DRIVER: 'embedded', _A_ENDPOINT: SERVER },
    { DRIVER: 'process', _A_CDP_PORT_BASE: '9222' },
    { DRIVER: 'embedded', _A__1_CDP_PORT_BASE: '9222' },
    { WSL_WINDOWS: 'true', _A_ENDPOINT: SERVER },
    { _A_WSL_WINDOWS: 'true', _A_DRIVER: 'embedded' },
    { ENDPOINT: SERVER, _A__0_CDP_PORT_BASE: '9222', _A__0_DRIVER: 'process', _A__0_WSL_WINDOWS: 'true' },
  ])('refused: %j', (variables) => {
    expect(violationsOf({ ...A, ...variables })).toMatchObject([
      {
        code: 'MULTIPLE_DRIVERS',
        variable: expect.stringMatching(
          new RegExp(
            `^${Object.keys(variables)
              .map(() => 'PW_MCP_PROXY_\\w+')
              .join(', ')}$`,
          ),
        ),
      },
    ]);
  });

  it.each([
    { _A_DRIVER: 'process', WSL_WINDOWS: 'true' },
    { WSL_WINDOWS: 'true', _A_WSL_WINDOWS: 'false', _A_ENDPOINT: SERVER },
    { _A__0_DRIVER: 'embedded', _A__1_ENDPOINT: SERVER, _A__2_CDP_PORT_BASE: '9222' },
    { EXECUTABLE_PATH: '/usr/bin/chromium', HEADLESS: 'false', _A_ENDPOINT: SERVER },
  ])('allowed: %j', (variables) => {
    expect(violationsOf({ ...A, ...variables })).toEqual([]);
  });

  it('names the instance that is alone with it, and each pool', () => {
    const variables = {
      ...A,
      _B_INSTANCES: '2',
      _A__1_ENDPOINT: SERVER,
      _B_ENDPOINT: SERVER,
      DRIVER: 'process',
    };
    expect(violationsOf(variables)).toMatchObject([
      { message: 'More than one driver chosen for instance 1 of A: DRIVER, ENDPOINT' },
      { message: 'More than one driver chosen for 2 instances of B: DRIVER, ENDPOINT' },
    ]);
  });

  it('in the built-in pool and in code too', () => {
    expect(codesOf({ ENDPOINT: SERVER, DRIVER: 'process' })).toEqual(['MULTIPLE_DRIVERS']);
    const input: ConfigInput = {
      driver: 'process',
      pools: { A: { instances: 1, isDefault: true, endpoint: SERVER } },
    };
    expect(() => resolveConfig(input)).toThrow('(driver, pools.A.endpoint)');
  });

  it('a refused choice is told once, and what the instance has besides is not judged yet', () => {
    expect(codesOf({ ...A, _A_DRIVER: 'remote', _A_ENDPOINT: SERVER })).toEqual(['INVALID_VALUE']);
    expect(codesOf({ ...A, _A_WSL_WINDOWS: 'yes', _A_ENDPOINT: SERVER })).toEqual(['INVALID_VALUE']);
    expect(
      codesOf({
        ...A,
        _A_ENDPOINT: CDP,
        _A_CDP_PORT_BASE: '65535',
        _A_CONTEXTS_PER_BROWSER: '2',
        BROWSER: 'webkit',
      }),
    ).toEqual(['MULTIPLE_DRIVERS']);
  });
});

describe('CONTEXTS_PER_BROWSER', () => {
  it('above 1 needs ISOLATED=true, which the pools that somebody defines do not have by themselves', () => {
    expect(violationsOf({ ...A, _A_CONTEXTS_PER_BROWSER: '2' })).toEqual([
      {
        code: 'CONTEXTS_PER_BROWSER_CONFLICT',
        message:
          'CONTEXTS_PER_BROWSER above 1 with ISOLATED=false for 3 instances of A: a profile on disk needs a browser of its own',
        variable: 'PW_MCP_PROXY__A_CONTEXTS_PER_BROWSER',
        fix: 'Set ISOLATED to true for them, or CONTEXTS_PER_BROWSER to 1.',
      },
    ]);
    expect(violationsOf({ CONTEXTS_PER_BROWSER: '4', ISOLATED: 'false' })).toMatchObject([
      { variable: 'PW_MCP_PROXY_CONTEXTS_PER_BROWSER, PW_MCP_PROXY_ISOLATED' },
    ]);
  });

  it.each([
    { CONTEXTS_PER_BROWSER: '4' },
    { ...A, _A_CONTEXTS_PER_BROWSER: '1' },
    { ...A, ISOLATED: 'true', _A_CONTEXTS_PER_BROWSER: '9' },
    {
      ...A,
      CONTEXTS_PER_BROWSER: '2',
      ISOLATED: 'true',
      _A__0_ISOLATED: 'false',
      _A__0_CONTEXTS_PER_BROWSER: '1',
    },
  ])('allowed: %j', (variables) => {
    expect(violationsOf(variables)).toEqual([]);
  });

  it.each([
    { _A_DRIVER: 'process' },
    { _A_WSL_WINDOWS: 'true' },
    { _A_CDP_PORT_BASE: '9222' },
    { _A_ENDPOINT: SERVER },
    { _A_ENDPOINT: CDP },
  ])('means nothing with %j', (driver) => {
    expect(violationsOf({ ...A, ISOLATED: 'true', CONTEXTS_PER_BROWSER: '2', ...driver })).toEqual([
      {
        code: 'CONTEXTS_PER_BROWSER_CONFLICT',
        message:
          'CONTEXTS_PER_BROWSER means nothing for 3 instances of A: only browsers of DRIVER=embedded are shared',
        variable: 'PW_MCP_PROXY_CONTEXTS_PER_BROWSER',
        fix: 'Set CONTEXTS_PER_BROWSER to 1 for them, or remove it.',
      },
    ]);
  });

  it('a refused value on either side is told once', () => {
    expect(codesOf({ CONTEXTS_PER_BROWSER: 'many', ISOLATED: 'false' })).toEqual(['INVALID_VALUE']);
    expect(codesOf({ ...A, CONTEXTS_PER_BROWSER: '2', ISOLATED: 'no' })).toEqual(['INVALID_VALUE']);
  });
});

describe('settings that go with another', () => {
  it('ENDPOINT_HEADERS that reach no instance with an ENDPOINT', () => {
    expect(violationsOf({ ENDPOINT_HEADERS: '{}' })).toEqual([
      {
        code: 'UNUSED_SETTING',
        message: 'ENDPOINT_HEADERS set where no instance has ENDPOINT',
        variable: 'PW_MCP_PROXY_ENDPOINT_HEADERS',
        fix: 'Set ENDPOINT too, or remove ENDPOINT_HEADERS.',
      },
    ]);
    const variables = {
      ...A,
      _A__0_ENDPOINT: SERVER,
      _A__1_ENDPOINT_HEADERS: '{}',
      _A__2_ENDPOINT_HEADERS: '{}',
    };
    expect(violationsOf(variables)).toMatchObject([
      { variable: 'PW_MCP_PROXY__A__1_ENDPOINT_HEADERS, PW_MCP_PROXY__A__2_ENDPOINT_HEADERS' },
    ]);
  });

  it('one instance that uses them is enough', () => {
    expect(violationsOf({ ...A, ENDPOINT_HEADERS: '{}', _A__1_ENDPOINT: SERVER })).toEqual([]);
    expect(violationsOf({ ...A, _A_ENDPOINT_HEADERS: '{}', _A__1_ENDPOINT: SERVER })).toEqual([]);
  });

  it('ATTACH_TAB=existing without the profile of a browser over CDP [arch-driver-12]', () => {
    const unused = [
      {
        code: 'UNUSED_SETTING',
        message:
          'ATTACH_TAB=existing means nothing for instance 0 of A: only the profile of a browser with a debugging port (CDP) has tabs that are open',
        variable: expect.stringContaining('PW_MCP_PROXY__A_ATTACH_TAB'),
        fix: 'Set ISOLATED to false and ENDPOINT to http://… or ws://…/devtools/… of that browser, or remove ATTACH_TAB.',
      },
    ];
    const existing = { _A_INSTANCES: '1', _A_IS_DEFAULT: 'true', _A_ATTACH_TAB: 'existing' };
    const cdp = 'http://127.0.0.1:9222';
    expect(violationsOf(existing)).toEqual(unused);
    expect(violationsOf({ ...existing, _A_ENDPOINT: cdp, _A_ISOLATED: 'true' })).toEqual(unused);
    expect(violationsOf({ ...existing, _A_ENDPOINT: SERVER, _A_ISOLATED: 'false' })).toEqual(unused);
    expect(violationsOf({ ...existing, _A_ENDPOINT: cdp, _A_ISOLATED: 'false' })).toEqual([]);
  });

  it('PROFILE_PREFIX of a pool without worker browsers; a global one is a default for pools to come', () => {
    expect(violationsOf({ ...A, _A_PROFILE_PREFIX: 'Lyra-' })).toEqual([
      {
        code: 'UNUSED_SETTING',
        message: 'PROFILE_PREFIX set where no instance has CDP_PORT_BASE',
        variable: 'PW_MCP_PROXY__A_PROFILE_PREFIX',
        fix: 'Set CDP_PORT_BASE too, or remove PROFILE_PREFIX.',
      },
    ]);
    expect(violationsOf({ ...A, PROFILE_PREFIX: 'Lyra-' })).toEqual([]);
    expect(violationsOf({ ...A, _A_PROFILE_PREFIX: 'Lyra-', CDP_PORT_BASE: '9222' })).toEqual([]);
  });

  it('a refused ENDPOINT counts as set, refused headers as not', () => {
    expect(codesOf({ ENDPOINT: 'nowhere', ENDPOINT_HEADERS: '{}' })).toEqual(['INVALID_VALUE']);
    expect(codesOf({ ENDPOINT_HEADERS: 'none' })).toEqual(['INVALID_VALUE']);
  });
});

describe('browsers with a debugging port', () => {
  it('several instances on the one profile of a CDP browser', () => {
    expect(violationsOf({ ...A, _A_ENDPOINT: CDP, _A_ISOLATED: 'false' })).toEqual([
      {
        code: 'SHARED_ENDPOINT',
        message: '3 instances would share the profile and the tabs of the browser at http://127.0.0.1:9222/',
        variable: 'PW_MCP_PROXY__A_ENDPOINT, PW_MCP_PROXY__A_ISOLATED',
        fix: 'Set ISOLATED to true for them, or give each an ENDPOINT of its own.',
      },
    ]);
  });

  it('also across pools, and however the address is written', () => {
    const variables = {
      ...A,
      _A__1_ENDPOINT: 'http://LOCALHOST:9222/',
      _A__2_ENDPOINT: 'http://localhost:9223',
      _B_INSTANCES: '1',
      _B_ENDPOINT: 'HTTP://localhost:9222',
    };
    expect(violationsOf(variables)).toMatchObject([
      { code: 'SHARED_ENDPOINT', variable: 'PW_MCP_PROXY__A__1_ENDPOINT, PW_MCP_PROXY__B_ENDPOINT' },
    ]);
    const devtools = 'ws://127.0.0.1:9222/devtools/browser/a1';
    expect(codesOf({ _A_INSTANCES: '2', _A_IS_DEFAULT: 'true', ENDPOINT: devtools })).toEqual([
      'SHARED_ENDPOINT',
    ]);
    // The built-in pool has one instance for what is one profile.
    expect(codesOf({ ENDPOINT: devtools, ISOLATED: 'false' })).toEqual([]);
  });

  it.each([
    { ENDPOINT: CDP },
    { ...A, _A_ENDPOINT: CDP, _A_ISOLATED: 'true' },
    { ...A, _A_ENDPOINT: CDP, _A_ISOLATED: 'true', _A__0_ISOLATED: 'false' },
    { ...A, _A_ENDPOINT: SERVER },
    { ...A, _A_ENDPOINT: 'mcp+http://127.0.0.1:8931/mcp' },
    { ...A, _A__0_ENDPOINT: CDP, _A__1_ENDPOINT: 'http://127.0.0.1:9223' },
  ])('allowed: %j', (variables) => {
    expect(violationsOf(variables)).toEqual([]);
  });

  it.each(['firefox', 'webkit'])('are not those of %s', (browser) => {
    expect(violationsOf({ ...A, BROWSER: browser, _A_CDP_PORT_BASE: '9222' })).toEqual([
      {
        code: 'CDP_NEEDS_CHROMIUM',
        message:
          'BROWSER without a debugging port (CDP) for 3 instances of A: only chromium, chrome and msedge have one',
        variable: 'PW_MCP_PROXY_BROWSER, PW_MCP_PROXY__A_CDP_PORT_BASE',
        fix: 'Set BROWSER to chromium, chrome or msedge for them.',
      },
    ]);
    expect(violationsOf({ ...A, _A__2_BROWSER: browser, ISOLATED: 'true', _A_ENDPOINT: CDP })).toMatchObject([
      { code: 'CDP_NEEDS_CHROMIUM', variable: 'PW_MCP_PROXY__A__2_BROWSER, PW_MCP_PROXY__A_ENDPOINT' },
    ]);
  });

  it.each([
    { BROWSER: 'msedge', CDP_PORT_BASE: '9222' },
    { BROWSER: 'firefox', ENDPOINT: SERVER },
    { BROWSER: 'webkit', ENDPOINT: 'sse+http://127.0.0.1:8931/sse' },
  ])('allowed: %j', (variables) => {
    expect(violationsOf({ ...A, ...variables })).toEqual([]);
  });
});

describe('ports of worker browsers', () => {
  it('end at 65535', () => {
    expect(violationsOf({ ...A, _A_CDP_PORT_BASE: '65533' })).toEqual([]);
    expect(violationsOf({ ...A, _A_CDP_PORT_BASE: '65534' })).toEqual([
      {
        code: 'PORT_OUT_OF_RANGE',
        message: 'CDP_PORT_BASE too high: instance 2 of A would have port 65536',
        variable: 'PW_MCP_PROXY__A_CDP_PORT_BASE',
        fix: 'Set CDP_PORT_BASE to 65533 or less.',
      },
    ]);
  });

  it('belong to one instance each, in all pools', () => {
    const pools = { ...A, _B_INSTANCES: '2' };
    expect(violationsOf({ ...pools, _A_CDP_PORT_BASE: '9222', _B_CDP_PORT_BASE: '9225' })).toEqual([]);
    expect(violationsOf({ ...pools, _A_CDP_PORT_BASE: '9222', _B_CDP_PORT_BASE: '9224' })).toEqual([
      {
        code: 'SHARED_PORT',
        message: 'Port 9224 would belong to 2 worker browsers: instance 2 of A and instance 0 of B',
        variable: 'PW_MCP_PROXY__A_CDP_PORT_BASE, PW_MCP_PROXY__B_CDP_PORT_BASE',
        fix: 'Set CDP_PORT_BASE of each pool so that no two browsers have the same port: each instance takes one.',
      },
    ]);
    expect(violationsOf({ ...pools, CDP_PORT_BASE: '9222' })).toMatchObject([
      {
        message:
          'Port 9222 (and 1 more) would belong to 2 worker browsers: instance 0 of A and instance 0 of B',
        variable: 'PW_MCP_PROXY_CDP_PORT_BASE',
      },
    ]);
  });

  it('also within a pool', () => {
    expect(violationsOf({ ...A, _A_CDP_PORT_BASE: '9222', _A__0_CDP_PORT_BASE: '9224' })).toMatchObject([
      { code: 'SHARED_PORT', variable: 'PW_MCP_PROXY__A__0_CDP_PORT_BASE, PW_MCP_PROXY__A_CDP_PORT_BASE' },
    ]);
  });
});

describe('MIN_IDLE', () => {
  it('is not above INSTANCES', () => {
    expect(violationsOf({ ...A, _A_MIN_IDLE: '3' })).toEqual([]);
    expect(violationsOf({ ...A, MIN_IDLE: '4' })).toEqual([
      {
        code: 'MIN_IDLE_ABOVE_INSTANCES',
        message: 'MIN_IDLE above INSTANCES: 4, but pool A has INSTANCES=3',
        variable: 'PW_MCP_PROXY_MIN_IDLE, PW_MCP_PROXY__A_INSTANCES',
        fix: 'Set MIN_IDLE of A to 3 or less, or increase INSTANCES.',
      },
    ]);
  });

  it('nor in the built-in pool', () => {
    expect(violationsOf({ MIN_IDLE: '9' })).toMatchObject([{ variable: 'PW_MCP_PROXY_MIN_IDLE' }]);
  });

  it('says nothing where INSTANCES is missing or refused', () => {
    expect(codesOf({ MIN_IDLE: '4', ...A, _A_INSTANCES: 'few' })).toEqual(['INVALID_VALUE']);
    expect(codesOf({ MIN_IDLE: '4', _A_IS_DEFAULT: 'true' })).toEqual(['POOL_MISSING_INSTANCES']);
  });
});

it('all rules report together, beside those of seed 000 [arch-config-08]', () => {
  expect(
    codesOf({
      HEADLES: 'true',
      TIMEOUT: 'soon',
      _A_INSTANCES: '2',
      _A_MIN_IDLE: '9',
      _A_CDP_PORT_BASE: '65535',
      _A_BROWSER: 'firefox',
      _A_CONTEXTS_PER_BROWSER: '2',
      _B_INSTANCES: '2',
      _B_DRIVER: 'process',
      _B_ENDPOINT: SERVER,
      _C_INSTANCES: '2',
      _C_ENDPOINT: CDP,
      _C_PROFILE_PREFIX: 'x',
      _D_INSTANCES: '1',
      _D_CDP_PORT_BASE: '65535',
    }),
  ).toEqual([
    'UNKNOWN_KEY',
    'INVALID_VALUE',
    'NO_DEFAULT_POOL',
    'MIN_IDLE_ABOVE_INSTANCES',
    'CONTEXTS_PER_BROWSER_CONFLICT',
    'CDP_NEEDS_CHROMIUM',
    'PORT_OUT_OF_RANGE',
    'MULTIPLE_DRIVERS',
    'UNUSED_SETTING',
    'SHARED_ENDPOINT',
    'SHARED_PORT',
  ]);
});
