import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import { evaluate, fill, type Scope } from '../../src/script/references.js';
import { checkColumns, type ParseScriptOptions, parseScript } from '../../src/script/script.js';
import { loadToolset } from '../../src/toolset/load-toolset.js';

const toolset = await loadToolset(resolveConfig({}).server);

function parse(text: string, options: ParseScriptOptions = { hasRows: true }) {
  return parseScript(text, 's.yaml', toolset, options);
}

function problemsOf(text: string, options?: ParseScriptOptions): readonly unknown[] {
  try {
    parse(text, options);
    return [];
  } catch (error) {
    return (error as { details: { problems: string[] } }).details.problems;
  }
}

describe('a script', () => {
  it('is read with all that it may have', () => {
    const script = parse(`
pool: SHOP
clean: lease
timeout: 2m
vars: { base: "https://a.example" }
setup:
  - tool: browser_navigate
    args: { url: "{{vars.base}}/login" }
steps:
  - tool: browser_navigate
    args: { url: "{{row.url}}" }
    save_as: page
    timeout: 30s
  - tool: browser_click
    args: { target: "{{item}}" }
    when: row.kind == 'shop'
    for_each: "{{ row.targets }}"
    on_error: continue
extract: { title: "{{steps.page.title}}" }
expect:
  - steps.page.title
  - { that: "contains(steps.page.url, 'a')", message: "not {{row.url}}" }
`);
    expect(script).toMatchObject({
      ...{ isList: false, pool: 'SHOP', clean: 'lease', timeoutMs: 120_000 },
      steps: [
        { saveAs: 'page', timeoutMs: 30_000, continueOnError: false },
        { when: "row.kind == 'shop'", forEach: 'row.targets', continueOnError: true },
      ],
      expect: [{ that: 'steps.page.title' }, { message: 'not {{row.url}}' }],
    });
    expect(script.columns.map(({ column }) => column)).toEqual(['url', 'kind', 'targets', 'url']);
  });

  it('is refused with every fault at its file, line and column [arch-bulk-01]', () => {
    const text = `vars: { base: x }
steps:
  - tool: browser_teleport
  - tool: browser_navigate
    args: { url: 3 }
  - tool: browser_navigate
    args:
      url: "{{rows.url}}{{vars.bsae}}{{env.NOT_SET}}{{steps.later.url}}"
    save_as: later
  - tool: browser_click
    args: { target: "\${3.url} {{row.url" }
    when: "row.kind =="
expect: [ "steps.ltaer.title" ]
`;
    const problems = problemsOf(text, { hasRows: true, env: { SET: '1' } });
    expect(problems.map((problem) => /^s\.yaml:(\d+:\d+): (.*)$/s.exec(String(problem))?.slice(1))).toEqual([
      ['3:5', expect.stringContaining("Step 1: Tool 'browser_teleport' not found")],
      [
        '5:5',
        expect.stringContaining(
          "Step 2: Invalid arguments for browser_navigate: 'url' must be of type string",
        ),
      ],
      ['8:7', expect.stringContaining("{{rows.url}}: There is no 'rows'. Did you mean 'row'?")],
      ['8:7', expect.stringContaining("'vars' has no 'bsae'. Did you mean 'base'?")],
      ['8:7', expect.stringContaining("'env' has no 'NOT_SET'.")],
      ['8:7', expect.stringContaining("'steps' has no 'later'.")],
      ['11:13', expect.stringContaining('${3.url} is not about a step before this one.')],
      ['11:13', expect.stringContaining('{{row.url has no end')],
      ['12:5', expect.stringContaining('This is not a JMESPath expression')],
      ['13:11', expect.stringContaining("'steps' has no 'ltaer'. Did you mean 'later'?")],
    ]);
  });

  it.for([
    ['no form of a script', 'steps', ['s.yaml:1:1: It is neither']],
    ['a key twice', 'steps: []\nsteps: []', ['s.yaml:2:1: This is not YAML: Map keys must be unique']],
    ['a tab', 'steps:\n\t- tool: x', ['s.yaml:2:1: This is not YAML']],
    [
      'a key that is not there',
      'steps: [{ tool: browser_snapshot }]\nstepz: 1',
      ['s.yaml:2:1: Unrecognized key: "stepz"'],
    ],
    ['no step', 'steps: []', ['s.yaml:1:1: steps: There is no step']],
    [
      'a timeout without a unit',
      'steps: [{ tool: browser_snapshot, timeout: 5 days }]',
      ['s.yaml:1:35: Step 1: timeout: Write 500ms, 30s or 2m'],
    ],
  ] as const)('is refused: %s [arch-bulk-01]', ([, text, expected]) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(problems[index]).toContain(start);
  });

  it('may use anchors and merge keys', () => {
    const script = parse(
      'steps: [&go { tool: browser_navigate, args: { url: "{{row.url}}" } }, { <<: *go, save_as: page }]',
    );
    expect(script.steps.map(({ tool, saveAs }) => [tool, saveAs])).toEqual([
      ['browser_navigate', undefined],
      ['browser_navigate', 'page'],
    ]);
  });

  it('that needs a column that the data has not is refused with its place [arch-bulk-01]', () => {
    const script = parse(
      'steps:\n  - tool: browser_navigate\n    args: { url: "{{row.link}}{{nvl(row.any, \'\')}}" }\n',
    );
    expect(() => checkColumns(script, ['id', 'links'], 'rows.csv')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("s.yaml:3:13: rows.csv has no column 'link'. Did you mean 'links'?"),
      }),
    );
    expect(() => checkColumns(script, ['link'], 'rows.csv')).not.toThrow();
  });

  it('has no rows without data, and a mere list of steps is a script as well', () => {
    expect(problemsOf('- tool: browser_navigate\n  args: { url: "{{row.url}}" }', {})).toEqual([
      "s.yaml:2:11: Step 1: {{row.url}}: There is no 'row' here: rows come with --data.",
    ]);
    expect(parse('- tool: browser_snapshot', {})).toMatchObject({ isList: true, clean: 'row' });
  });
});

const answer = (text: string) => ({
  success: true as const,
  result: { content: [{ type: 'text' as const, text }] },
});

describe('references', () => {
  const scope: Scope = {
    names: {
      row: { url: 'https://a.example', tags: ['x', 'y'], empty: '' },
      vars: { n: 3, evil: '{{env.SECRET}}${0.result}' },
      env: { SECRET: 's3cret' },
    },
    answers: [answer('### Result\n42\n### Page\n- Page URL: https://b.example/')],
  };

  it.for([
    ['{{row.url}}', 'https://a.example'],
    ['see {{row.url}}!', 'see https://a.example!'],
    ['{{row.tags}}', ['x', 'y']],
    ['{{row.tags}} {{vars.n}}', '["x","y"] 3'],
    ['{{ length(row.tags) }}', 2],
    ['{{ {a: {b: vars.n}} }}', { a: { b: 3 } }],
    ["{{ '}}' }} {{'{{'}}", '}} {{'],
    ['{{row.empty}}', ''],
    ['${0.result}', 42],
    ['${0.url}{{vars.n}}', 'https://b.example/3'],
    ['`${x}` {a: {b: 1}}', '`${x}` {a: {b: 1}}'],
  ] as const)('%s is what JMESPath finds [arch-bulk-02]', ([text, expected]) => {
    expect(fill({ deep: [text] }, scope)).toEqual({ deep: [expected] });
  });

  it('are not looked for in what was found: data is no script [arch-bulk-02]', () => {
    expect(fill('{{vars.evil}}', scope)).toBe('{{env.SECRET}}${0.result}');
    expect(fill('a {{vars.evil}}', scope)).toBe('a {{env.SECRET}}${0.result}');
  });

  it('that find nothing are refused with what there is, or are null where that is asked for', () => {
    expect(() => fill('{{row.link}}', scope)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', hint: 'There is: url, tags, empty.' }),
    );
    expect(() => fill('${0.price}', scope)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('url, title, result, text') }),
    );
    expect(fill({ a: '{{row.link}}', b: 'x{{row.link}}' }, scope, { lenient: true })).toEqual({
      a: null,
      b: 'x',
    });
  });

  it('do not reach what JavaScript has', () => {
    expect(evaluate('row.constructor', scope.names)).toBeNull();
    expect(evaluate('row.url.length', scope.names)).toBeNull();
    expect(evaluate('__proto__', scope.names)).toBeNull();
  });
});
