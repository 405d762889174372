import { expect, test } from 'vitest';
import { Workplace } from './command.js';

test('nothing configured is valid: one pool that works with no set-up', async () => {
  const workplace = await Workplace.make();
  expect(await workplace.run(['validate'])).toEqual({
    status: 0,
    stdout: expect.stringMatching(
      /^Valid: 1 pool, 8 instances: DEFAULT 8 \(default\)\.\nNo file was read\.\nBrowser chromium: .+\n$/,
    ),
    stderr: '',
  });
});

test('the pools of the environment and of .env in the working directory, in the order written, and the files that were read', async () => {
  const workplace = await Workplace.make({
    '.env': 'PW_MCP_PROXY__A_INSTANCES=2\nPW_MCP_PROXY__A_IS_DEFAULT=true\nPW_MCP_PROXY__B_INSTANCES=9\n',
  });
  const variables = { PW_MCP_PROXY__B_INSTANCES: '1' };
  const text = await workplace.runHere(['validate', '--no-probe'], variables);
  expect(text).toEqual({
    status: 0,
    stdout: `Valid: 2 pools, 3 instances: A 2 (default), B 1.\nRead: ${workplace.path}/.env\n`,
    stderr: '',
  });
  const json = await workplace.runHere(['validate', '--json', '--no-probe'], variables);
  expect(json).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(json.stdout)).toEqual({
    valid: true,
    violations: [],
    warnings: [],
    files: [`${workplace.path}/.env`],
    pools: [
      { name: 'A', instances: 2, isDefault: true },
      { name: 'B', instances: 1, isDefault: false },
    ],
    browsers: [],
  });
});

test('what has no effect is warned of, by every command that reads the configuration, and fails none', async () => {
  const workplace = await Workplace.make({
    '.env': 'PW_MCP_PROXY__A_INSTANCES=1\nPW_MCP_PROXY__A_IS_DEFAULT: true\nPW_MCP_PROXY__A_INSTANCES=2\n',
  });
  const variables = { PW_MCP_PROXY__A_IS_DEFAULT: 'true', PWPOOL_HEADLESS: 'false' };
  const told = [
    'A line of .env is not an assignment and was ignored\n  variable: .env:2',
    'PW_MCP_PROXY__A_INSTANCES is set 2 times in .env (lines 1, 3): the last one counts',
    'fix: Did you mean PW_MCP_PROXY_HEADLESS?',
  ];
  for (const args of [['validate', '--no-probe'], ['config']]) {
    const { status, stderr } = await workplace.runHere(args, variables);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^3 warnings:\n/);
    for (const text of told) expect(stderr).toContain(text);
  }
  const json = await workplace.runHere(['validate', '--json', '--no-probe'], variables);
  expect(json).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(json.stdout).warnings.map(({ code }: { code: string }) => code)).toEqual([
    'DOTENV_IGNORED_LINE',
    'DOTENV_DUPLICATE',
    'MISSPELT_PREFIX',
  ]);
  // The server tells it where a person looks for what went wrong.
  const server = await workplace.run(['mcp'], variables);
  expect(server.stderr).toContain('Did you mean PW_MCP_PROXY_HEADLESS?');
});

test('a browser that is missing is told with what to do, once, and is no fault of the configuration', async () => {
  const workplace = await Workplace.make();
  const variables = {
    PW_MCP_PROXY_EXECUTABLE_PATH: '/nowhere/chrome',
    PW_MCP_PROXY__A_INSTANCES: '3',
    PW_MCP_PROXY__A_IS_DEFAULT: 'true',
    PW_MCP_PROXY__B_INSTANCES: '1',
    PW_MCP_PROXY__B_ENDPOINT: 'ws://127.0.0.1:1/',
  };
  const text = await workplace.runHere(['validate'], variables);
  expect(text.status).toBe(1);
  expect(text.stdout).toMatch(/^Valid: 2 pools, 4 instances[\s\S]*\nBrowser chromium: missing\n$/);
  expect(text.stderr).toMatch(
    /^BROWSER_NOT_READY: EXECUTABLE_PATH names no executable file.*\nCorrect EXECUTABLE_PATH.*\n$/,
  );
  const json = await workplace.runHere(['validate', '--json'], variables);
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    valid: true,
    browsers: [
      {
        browser: 'chromium',
        executablePath: '/nowhere/chrome',
        found: false,
        error: { code: 'BROWSER_NOT_READY', hint: expect.stringContaining('EXECUTABLE_PATH') },
      },
    ],
  });
  expect((await workplace.runHere(['validate', '--no-probe'], variables)).status).toBe(0);
});

test('every violation is told at once, with the variable and the mend, and the status is 78 [arch-config-08, arch-error-03]', async () => {
  const workplace = await Workplace.make({ '.env': 'PW_MCP_PROXY_TIMEOUT=soon\n' });
  const variables = {
    PW_MCP_PROXY_INSTANCES: '2',
    PW_MCP_PROXY_ALIAS: 'x',
    PW_MCP_PROXY__ONE_INSTANCES: '2',
    PW_MCP_PROXY__ONE_IS_DEFAULT: 'true',
    PW_MCP_PROXY__ONE__0_ALIAS: 'same',
    PW_MCP_PROXY__ONE__1_ALIAS: 'same',
    PW_MCP_PROXY__ONE__5_BROWSER: 'firefox',
    PW_MCP_PROXY__TWO_IS_DEFAULT: 'true',
    PW_MCP_PROXY__TWO_HEADLES: 'true',
    PW_MCP_PROXY__bad_LAZY: 'true',
  };
  const messages = [
    'INSTANCES defined globally',
    'ALIAS defined globally',
    'Duplicate alias in pool',
    'Invalid instance ID in override',
    'Pool missing INSTANCES configuration',
    'Multiple default pools defined',
    'PW_MCP_PROXY__TWO_HEADLES holds no known key',
    '"bad" cannot be the name of a pool',
    'PW_MCP_PROXY_TIMEOUT is "soon" in .env',
  ];
  const { status, stdout, stderr } = await workplace.runHere(['validate'], variables);
  expect({ status, stdout }).toEqual({ status: 78, stdout: `Read: ${workplace.path}/.env\n` });
  expect(stderr).toContain('The configuration has 9 violations:');
  for (const message of messages) expect(stderr).toContain(message);
  expect(stderr).toContain('fix: Use ID 0-1 or increase INSTANCES');

  const json = await workplace.runHere(['validate', '--json'], variables);
  expect(json.status).toBe(78);
  const answer = JSON.parse(json.stdout);
  expect(answer).toMatchObject({ valid: false, pools: [] });
  expect(answer.violations.map(({ code }: { code: string }) => code).sort()).toEqual([
    'DUPLICATE_ALIAS',
    'INSTANCES_DEFINED_GLOBALLY',
    'INVALID_INSTANCE_ID',
    'INVALID_POOL_NAME',
    'INVALID_VALUE',
    'MULTIPLE_DEFAULT_POOLS',
    'POOL_MISSING_INSTANCES',
    'UNKNOWN_KEY',
    'WRONG_LEVEL',
  ]);
});

test('settings that contradict each other are told beside refused ones, without what is secret in them', async () => {
  const workplace = await Workplace.make();
  const variables = {
    PW_MCP_PROXY_ENDPOINT_HEADERS: 'Authorization: secret',
    PW_MCP_PROXY__A_INSTANCES: '2',
    PW_MCP_PROXY__A_IS_DEFAULT: 'true',
    PW_MCP_PROXY__A_DRIVER: 'process',
    PW_MCP_PROXY__A_ENDPOINT: 'ws://user:secret@127.0.0.1:4444/?token=secret',
    PW_MCP_PROXY__B_INSTANCES: '2',
    PW_MCP_PROXY__B_ENDPOINT: 'http://127.0.0.1:9222/?token=secret',
    PW_MCP_PROXY__C_INSTANCES: '1',
    PW_MCP_PROXY__C_ENDPOINT: 'htp://user:secret@127.0.0.1/?token=secret',
  };
  const { status, stdout, stderr } = await workplace.runHere(['validate'], variables);
  expect({ status, stdout }).toEqual({ status: 78, stdout: 'No file was read.\n' });
  expect(stderr).toContain('The configuration has 4 violations:');
  for (const message of [
    'PW_MCP_PROXY_ENDPOINT_HEADERS is "***", but must be a JSON object',
    'PW_MCP_PROXY__C_ENDPOINT is "htp://***", but must be a URL',
    'More than one driver chosen for 2 instances of A: DRIVER, ENDPOINT',
    'would share the profile and the tabs of the browser at http://127.0.0.1:9222/',
    'fix: Set ISOLATED to true for them, or give each an ENDPOINT of its own.',
  ]) {
    expect(stderr).toContain(message);
  }
  const json = await workplace.runHere(['validate', '--json'], variables);
  expect(stderr + json.stdout + json.stderr).not.toContain('secret');
});

test.for([
  ['No default pool defined', { PW_MCP_PROXY__A_INSTANCES: '1' }],
  ['INSTANCES defined globally', { PW_MCP_PROXY_INSTANCES: '1' }],
  ['Did you mean PW_MCP_PROXY__X_HEADLESS?', { PW_MCP_PROXY__X_HEADLES: 'true' }],
] as const)('alone as well: %s', async ([message, variables]) => {
  const workplace = await Workplace.make();
  for (const args of [['validate'], ['config'], ['config', '--json'], ['run', '-']]) {
    const { status, stdout, stderr } = await workplace.runHere(args, variables, '- tool: browser_snapshot');
    const told = args[0] === 'validate' ? 'No file was read.\n' : '';
    expect({ args, status, stdout }).toEqual({ args, status: 78, stdout: told });
    expect(stderr).toContain(message);
  }
  // The server takes over its process, so that it needs one.
  const server = await workplace.run(['mcp'], variables);
  expect(server).toMatchObject({ status: 78, stdout: '', stderr: expect.stringContaining(message) });
});

test('the faults of the file of sites that the configuration names, with their lines', async () => {
  const workplace = await Workplace.make({
    'sites.yaml': 'shop:\n  hosts: [shop.example]\n  min_interval: soon\n',
  });
  const variables = { PW_MCP_PROXY_SITES_FILE: 'sites.yaml' };
  const text = await workplace.runHere(['validate'], variables);
  expect(text).toMatchObject({ status: 78, stdout: `Read: ${workplace.path}/sites.yaml\n` });
  expect(text.stderr).toMatch(/^The configuration has 1 violation:/);
  expect(text.stderr).toContain('sites.yaml:3:3');
  const json = await workplace.runHere(['validate', '--json'], variables);
  expect(json.status).toBe(78);
  expect(JSON.parse(json.stdout)).toMatchObject({
    valid: false,
    violations: [{ fix: expect.stringContaining('seconds') }],
  });
});

test('a pattern for tools that matches none is a violation, with what was meant', async () => {
  const workplace = await Workplace.make();
  const variables = { PW_MCP_PROXY_TOOLS_DENY: 'browser_evaluate,browser_clik' };
  expect(await workplace.runHere(['validate', '--no-probe'], variables)).toMatchObject({
    status: 78,
    stderr: expect.stringMatching(
      /TOOLS_DENY names no tool: browser_clik\n.*\n +fix: Did you mean browser_click\?/,
    ),
  });
});
