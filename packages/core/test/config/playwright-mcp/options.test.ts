import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainConfig } from '../../../src/config/explain.js';
import { definitionOf, isKeyName } from '../../../src/config/keys.js';
import { type ConfigSources, inspectConfig } from '../../../src/config/load-config.js';
import type { PwpoolConfig } from '../../../src/config/model.js';
import { UPSTREAM_OPTIONS } from '../../../src/config/playwright-mcp/options.js';
import { directoryWith } from '../sources.js';
import { EXAMPLES, FILES, inDirectory, REFUSALS } from './examples.js';

const require = createRequire(import.meta.url);
const UPSTREAM = dirname(require.resolve('@playwright/mcp/package.json'));
const BUNDLE = 'playwright-core/lib/coreBundle';
const flagOf = (flag: string) => flag.split(' ')[0]?.replace(/^--(?:no-)?/, '--');

function workplace(): string {
  const directory = directoryWith();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text);
  mkdirSync(join(directory, 'conf'));
  return directory;
}

/** Each way of giving an option, as what `inspectConfig` reads. */
function waysOf(
  { flag, variable, json = [] }: Pick<(typeof EXAMPLES)[number], 'flag' | 'variable' | 'json'>,
  cwd: string,
): [way: string, sources: ConfigSources][] {
  const none = { env: {}, cwd };
  return [
    ...(flag ? [[flag.join(' '), { ...none, args: flag }] as [string, ConfigSources]] : []),
    ...(variable
      ? [
          [variable.join('='), { ...none, env: { [`PLAYWRIGHT_MCP_${variable[0]}`]: variable[1] } }] as [
            string,
            ConfigSources,
          ],
        ]
      : []),
    ...json.map((content, index): [string, ConfigSources] => {
      writeFileSync(join(cwd, `${index}.json`), JSON.stringify(content));
      return [JSON.stringify(content), { ...none, args: ['--config', `${index}.json`] }];
    }),
  ];
}

/** What is in force for the default pool, by key. */
function inForce(config: PwpoolConfig): Record<string, unknown> {
  const pool = config.pools.find(({ isDefault }) => isDefault);
  const values = { ...config.server, ...pool?.settings, ...pool?.instances[0]?.settings };
  return { ...values, instances: pool?.instances.length };
}

describe('the table of options has all that upstream has', () => {
  const rows = UPSTREAM_OPTIONS;

  it('every flag in its --help [arch-option-01]', () => {
    const help = execFileSync(process.execPath, [join(UPSTREAM, 'cli.js'), '--help'], { encoding: 'utf8' });
    const flags = [...help.matchAll(/^ {2}(?:-., )?--([a-z-]+)/gm)].map(([, name]) => flagOf(`--${name}`));
    const known = new Set(rows.map(({ flag = '' }) => flagOf(flag)));
    expect(flags.length).toBeGreaterThan(50);
    expect(flags.filter((flag) => !known.has(flag))).toEqual(['--version', '--help']);
  });

  it('every flag of the tool server that pwpool comes with', () => {
    const source = readFileSync(require.resolve(BUNDLE), 'utf8');
    const [, body = ''] = /function decorateMCPCommand\(command\) \{([\s\S]*?)\.action\(/.exec(source) ?? [];
    const flags = [...body.matchAll(/(?:option|ProgramOption)\("--([a-z-]+)/g)].map(([, name]) =>
      flagOf(`--${name}`),
    );
    const known = new Set(rows.map(({ flag = '' }) => flagOf(flag)));
    expect(flags.length).toBeGreaterThan(50);
    expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it.each([
    ['of the published package', require.resolve(BUNDLE, { paths: [UPSTREAM] })],
    ['of the tool server that pwpool comes with', require.resolve(BUNDLE)],
  ])('every variable %s', (_, bundle) => {
    const names = readFileSync(bundle, 'utf8').matchAll(/PLAYWRIGHT_MCP_([A-Z_]+)/g);
    const known = new Set(rows.map(({ variable }) => variable));
    const found = [...new Set([...names].map(([, name]) => name))];
    expect(found.length).toBeGreaterThan(40);
    expect(found.filter((name) => !known.has(name))).toEqual([]);
  });

  it('every field of its configuration file', () => {
    const found = fieldsOf(readFileSync(join(UPSTREAM, 'config.d.ts'), 'utf8'));
    const known = rows.flatMap(({ fields = [] }) => fields);
    expect(found.length).toBeGreaterThan(35);
    expect(
      found.filter((field) => !known.some((each) => each === field || each.startsWith(`${field}.`))),
    ).toEqual([]);
  });

  it('keys that are in the table of keys, and every row an example', () => {
    const keys = rows.flatMap(({ to }) => (typeof to === 'string' ? [to] : []));
    expect(keys.filter((key) => !isKeyName(key) || !definitionOf(key))).toEqual([]);
    const given = [...EXAMPLES, ...REFUSALS];
    const flags = new Set(
      given.flatMap(({ flag = [] }) => flag.map((word) => flagOf(word.split('=')[0] ?? ''))),
    );
    const variables = new Set(given.flatMap(({ variable }) => variable?.[0] ?? []));
    const shown = JSON.stringify(given.map(({ json }) => json));
    // What decides where the others are read.
    const others = rows.filter(({ variable }) => variable !== 'CONFIG');
    expect(others.filter(({ flag }) => flag && !flags.has(flagOf(flag))).map(({ flag }) => flag)).toEqual([]);
    expect(
      others.filter(({ variable }) => variable && !variables.has(variable)).map(({ variable }) => variable),
    ).toEqual(['CDP_HEADERS', 'REMOTE_HEADERS']);
    const members = rows.flatMap(({ fields = [] }) =>
      fields.map((field) => field.split('.').findLast((each) => each !== '*') ?? ''),
    );
    expect(members.filter((member) => !shown.includes(`"${member}"`))).toEqual([]);
  });
});

describe('an option is the same as flag, as variable and in the file', () => {
  it.each(
    EXAMPLES.map((example) => ({
      name: (example.flag ?? example.variable ?? [JSON.stringify(example.json)]).join(' '),
      ...example,
    })),
  )('$name', (example) => {
    const cwd = workplace();
    const { config: plain } = inspectConfig({ env: {}, cwd });
    const expected = inDirectory(
      Object.fromEntries(
        Object.entries(example.is).map(([key, value]) => [
          isKeyName(key) ? definitionOf(key).setting : key,
          value,
        ]),
      ),
      cwd,
    );
    const ways = waysOf(example, cwd);
    expect(ways.length).toBeGreaterThan(0);
    for (const [way, sources] of ways) {
      const { config, violations } = inspectConfig(sources);
      expect(violations, way).toEqual([]);
      if (!config || !plain) throw new Error('No configuration.');
      expect(inForce(config), way).toMatchObject(expected as object);
      if (Object.keys(example.is).length === 0) expect(inForce(config)).toEqual(inForce(plain));
    }
  });

  it.each(
    REFUSALS.map((refusal) => ({
      name: (refusal.flag ?? [JSON.stringify(refusal.json)]).join(' '),
      ...refusal,
    })),
  )('$name is refused by name, with what to use instead', (refusal) => {
    const cwd = workplace();
    for (const [way, sources] of waysOf(refusal, cwd)) {
      const { violations } = inspectConfig(sources);
      expect(violations, way).toEqual([
        expect.objectContaining({ code: 'UNSUPPORTED_OPTION', fix: expect.stringContaining(refusal.fix) }),
      ]);
    }
  });

  it.each([
    { PLAYWRIGHT_MCP_CDP_ENDPOINT: 'http://localhost:1', PLAYWRIGHT_MCP_CDP_HEADERS: 'X-A: b' },
    { PW_MCP_PROXY_ENDPOINT: 'ws://localhost:1', PLAYWRIGHT_MCP_REMOTE_HEADERS: 'X-A: b' },
  ])('the headers of a variable are one header: %o', (env) => {
    const { config } = inspectConfig({ env, cwd: directoryWith() });
    expect(config?.pools[0]?.instances[0]?.settings.endpointHeaders).toBe('{"X-A":"b"}');
  });
});

describe('where options stand among other settings', () => {
  const file = (content: object) => {
    const cwd = workplace();
    writeFileSync(join(cwd, 'conf/mcp.json'), `\uFEFF${JSON.stringify(content)}`);
    return cwd;
  };
  const browserOf = ({ config }: ReturnType<typeof inspectConfig>) => {
    const instance = config?.pools.find(({ isDefault }) => isDefault)?.instances[0];
    return [instance?.settings.browser, instance?.origins.browser.source, instance?.origins.browser.name];
  };

  it('a flag beats the environment, PW_MCP_PROXY_ beats PLAYWRIGHT_MCP_, both .env, and the file comes last [arch-config-11, arch-option-02]', () => {
    const cwd = file({ browser: { browserName: 'webkit' } });
    const config = { PLAYWRIGHT_MCP_CONFIG: 'conf/mcp.json' };
    expect(browserOf(inspectConfig({ cwd, env: config }))).toEqual([
      'webkit',
      'file',
      'mcp.json: browser.browserName',
    ]);
    writeFileSync(join(cwd, '.env'), 'PW_MCP_PROXY_BROWSER=chrome\n');
    expect(browserOf(inspectConfig({ cwd, env: config }))).toEqual([
      'chrome',
      'dotenv',
      'PW_MCP_PROXY_BROWSER',
    ]);
    const upstream = { ...config, PLAYWRIGHT_MCP_BROWSER: 'msedge' };
    expect(browserOf(inspectConfig({ cwd, env: upstream }))).toEqual([
      'msedge',
      'environment',
      'PLAYWRIGHT_MCP_BROWSER',
    ]);
    const own = { ...upstream, PW_MCP_PROXY_BROWSER: 'firefox' };
    expect(browserOf(inspectConfig({ cwd, env: own }))).toEqual([
      'firefox',
      'environment',
      'PW_MCP_PROXY_BROWSER',
    ]);
    expect(browserOf(inspectConfig({ cwd, env: own, args: ['--browser=chromium'] }))).toEqual([
      'chromium',
      'flags',
      '--browser',
    ]);
  });

  it('they are settings of the default pool alone, which stays where it was listed', () => {
    const env = {
      PW_MCP_PROXY__A_INSTANCES: '1',
      PW_MCP_PROXY__MINE_INSTANCES: '2',
      PW_MCP_PROXY__MINE_IS_DEFAULT: 'true',
      PW_MCP_PROXY__MINE__1_BROWSER: 'webkit',
    };
    const { config } = inspectConfig({
      env,
      cwd: directoryWith(),
      args: ['--browser', 'firefox', '--caps=pdf'],
    });
    expect(config?.pools.map(({ name }) => name)).toEqual(['A', 'MINE']);
    expect(config?.pools.map(({ instances }) => instances.map(({ settings }) => settings.browser))).toEqual([
      ['chromium'],
      ['firefox', 'webkit'],
    ]);
    expect(config?.pools[1]?.instances[0]?.origins.browser).toEqual({
      level: 'pool',
      source: 'flags',
      name: '--browser',
    });
    expect(config?.server.caps).toEqual(['pdf']);
  });

  it('init files of the configuration file are looked for beside it', () => {
    const cwd = file({ browser: { initScript: ['own.js'] } });
    writeFileSync(join(cwd, 'conf/own.js'), '');
    const { config } = inspectConfig({ env: {}, cwd, args: ['--config=conf/mcp.json'] });
    expect(config?.pools[0]?.instances[0]?.settings.initScript).toEqual([join(cwd, 'conf/own.js')]);
  });

  it('what goes with an option gives way to what somebody sets', () => {
    const cwd = workplace();
    const settings = (env: Record<string, string>, args: string[]) => {
      const { config } = inspectConfig({ env, cwd, args });
      return config?.pools[0]?.instances[0]?.settings;
    };
    expect(settings({ PW_MCP_PROXY_TIMEOUT: '90000' }, ['--timeout-action=60000'])?.timeout).toBe(90_000);
    expect(settings({ PLAYWRIGHT_MCP_ISOLATED: 'true' }, ['--cdp-endpoint=http://h:1'])?.isolated).toBe(true);
  });
});

describe('what is wrong is told at once', () => {
  it('misspelt flags, variables with wrong values, unknown fields, and files that are not there', () => {
    const cwd = workplace();
    const content = {
      browser: { isolate: true, launchOptions: { headless: 'no' }, contextOptions: 'none' },
      timeout: { action: 1 },
      sites: [],
    };
    writeFileSync(join(cwd, 'c.json'), JSON.stringify(content));
    const args = [
      '--isolatd',
      '--viewport-size=big',
      '--init-script',
      'no.js',
      '--secrets',
      'no.env',
      '--config',
      'c.json',
      'extra',
      '--device',
    ];
    const env = { PLAYWRIGHT_MCP_HEADLESS: 'maybe', PLAYWRIGHT_MCP_DEVICE: 'iPhone 1' };
    const { config, violations } = inspectConfig({ env, cwd, args });
    expect(config).toBeUndefined();
    expect(violations.map(({ code, variable, fix }) => `${code} ${variable}: ${fix}`)).toEqual(
      expect.arrayContaining([
        'UNKNOWN_OPTION --isolatd: Did you mean --isolated?',
        'UNKNOWN_OPTION extra: Remove it; --help lists the options.',
        'INVALID_VALUE --device: Write --device <name>.',
        'INVALID_VALUE --viewport-size: Set it to a size such as 1280x720, or window, or remove it.',
        'FILE_UNREADABLE --init-script: Correct the path, or make it a readable file.',
        'FILE_UNREADABLE --secrets: Correct the path, or make it a readable file.',
        'INVALID_VALUE PLAYWRIGHT_MCP_HEADLESS: Set it to true or false, or remove it.',
        'UNKNOWN_DEVICE PLAYWRIGHT_MCP_DEVICE: Did you mean iPhone 6?',
        'UNKNOWN_OPTION c.json: browser.isolate: Did you mean browser.isolated?',
        'INVALID_VALUE c.json: browser.launchOptions.headless: Set it to true or false, or remove it.',
        'INVALID_VALUE c.json: browser.contextOptions: Give an object with options by name, or leave it out.',
        'UNKNOWN_OPTION c.json: timeout: Did you mean timeouts?',
        'UNKNOWN_OPTION c.json: sites: Remove it.',
      ]),
    );
  });

  it('a variable that upstream does not know is worth a warning', () => {
    const { config, warnings } = inspectConfig({ env: { PLAYWRIGHT_MCP_ISOLATE: '1' }, cwd: workplace() });
    expect(config).toBeDefined();
    expect(warnings).toMatchObject([{ fix: 'Did you mean PLAYWRIGHT_MCP_ISOLATED?' }]);
  });

  it('a configuration file that is missing, no JSON, or INI', () => {
    const cwd = workplace();
    writeFileSync(join(cwd, 'broken.json'), '{');
    const fixes = ['none.json', 'broken.json', 'mcp.ini'].map((name) => {
      const { violations } = inspectConfig({ env: {}, cwd, args: ['--config', name] });
      return violations.map(({ code, fix }) => [code, fix]);
    });
    const json = ['FILE_UNREADABLE', 'Correct the path, or the file: it is a JSON object.'];
    expect(fixes).toEqual([
      [json],
      [json],
      [['FILE_UNREADABLE', 'Write it as JSON: INI files are not read.']],
    ]);
  });

  it('combinations that mean nothing', () => {
    const cwd = workplace();
    const codes = (...args: string[]) =>
      inspectConfig({ env: {}, cwd, args }).violations.map(({ code }) => code);
    expect(codes('--mobile', '--device', 'iPhone 15')).toEqual(['DEVICE_CONFLICT']);
    expect(codes('--mobile', '--browser', 'firefox')).toEqual(['DEVICE_CONFLICT']);
    expect(codes('--isolated', '--user-data-dir', 'x')).toEqual(['UNUSED_SETTING']);
    expect(codes('--no-isolated', '--storage-state', 'state.json')).toEqual(['UNUSED_SETTING']);
  });

  it('secrets are shown masked', () => {
    const cwd = workplace();
    const args = ['--secrets=secrets.env', '--proxy-server=http://ada:pw@proxy:1'];
    const { config } = inspectConfig({
      env: { PW_MCP_PROXY_CONTEXT_OPTIONS: '{"httpCredentials":{"password":"pw"}}' },
      cwd,
      args,
    });
    if (!config) throw new Error('No configuration.');
    const shown = JSON.stringify(explainConfig(config));
    expect(shown).toContain('{"PASSWORD":"***","TOKEN":"***"}');
    expect(shown).toContain('***@proxy:1');
    expect(shown).not.toMatch(/hunter2|"pw"|\bada\b/);
  });

  it('an option that has a key of its own is not taken in LAUNCH_OPTIONS', () => {
    const env = { PW_MCP_PROXY_LAUNCH_OPTIONS: '{"headless":false}' };
    const [violation] = inspectConfig({ env, cwd: directoryWith() }).violations;
    expect(violation?.fix).toContain('without headless, channel');
  });
});

/** The paths of the members that a type of TypeScript declares, to the depth that it spells out. */
function fieldsOf(declaration: string): string[] {
  const path: string[] = [];
  const fields: string[] = [];
  const source = declaration.replace(/\/\*[\s\S]*?\*\//g, '').split('export type Config = {')[1] ?? '';
  for (const line of source.split('\n')) {
    const [, name, opens] = /^\s*(\w+)\?: (\{$)?/.exec(line) ?? [];
    if (name) fields.push([...path, name].join('.'));
    if (name && opens) path.push(name);
    else if (/^\s*\}/.test(line)) path.pop();
  }
  return fields;
}
