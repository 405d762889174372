import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workplace } from './command.js';
import { startSite } from './site.js';

interface Report {
  success: boolean;
  steps: {
    step: number;
    tool: string;
    success: boolean;
    content?: { type: string; text: string }[];
    error?: { code: string };
  }[];
}

function navigate(url: string): string {
  return `- tool: browser_navigate\n  args: { url: "${url}" }\n`;
}

/** The helper processes of a browser end a moment after it. */
async function noProcessIsLeft(workplace: Workplace): Promise<void> {
  await expect.poll(() => workplace.processes()).toEqual([]);
}

async function nothingIsLeft(workplace: Workplace): Promise<void> {
  await noProcessIsLeft(workplace);
  expect(await workplace.temporaryFiles()).toEqual([]);
}

const TWO_POOLS = {
  PW_MCP_PROXY__PLAIN_INSTANCES: '3',
  PW_MCP_PROXY__PLAIN_IS_DEFAULT: 'true',
  PW_MCP_PROXY__OTHER_INSTANCES: '2',
  PW_MCP_PROXY__OTHER__1_ALIAS: 'main',
  PW_MCP_PROXY_ISOLATED: 'true',
};

function kill(processId: number): string | undefined {
  try {
    process.kill(processId, 'SIGKILL');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

test('runs the steps in order on one browser, prints the report, and leaves nothing behind', async () => {
  const site = await startSite();
  const script = `${navigate(`${site.origin}/page/one`)}- tool: browser_evaluate
  args: { function: "() => { document.cookie = 'user=alice'; }" }
${navigate(`${site.origin}/page/two`)}- tool: browser_evaluate
  args: { function: "() => document.cookie + ' ' + document.title" }
`;
  const workplace = await Workplace.make({ 'steps.yaml': script });
  const { status, stdout, stderr } = await workplace.run(['run', 'steps.yaml']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const report = JSON.parse(stdout) as Report;
  expect(report.success).toBe(true);
  expect(report.steps.map(({ step, tool, success }) => [step, tool, success])).toEqual([
    [1, 'browser_navigate', true],
    [2, 'browser_evaluate', true],
    [3, 'browser_navigate', true],
    [4, 'browser_evaluate', true],
  ]);
  expect(report.steps[3]?.content?.[0]?.text).toContain('"user=alice two"');
  expect(site.requests).toEqual(['/page/one', '/page/two']);
  await nothingIsLeft(workplace);
});

test('"-" reads the script from stdin; the first step that fails is the last, told on stderr as well, and the status is 1', async () => {
  const site = await startSite();
  const script = `${navigate(`${site.origin}/page/one`)}- tool: browser_click\n  args: { target: e99 }\n${navigate(`${site.origin}/page/two`)}`;
  const workplace = await Workplace.make();
  const { status, stdout, stderr } = await workplace.run(['run', '-'], {}, script);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    success: false,
    steps: [
      { success: true, content: [{ text: expect.stringContaining('Page Title: one') }] },
      { step: 2, success: false, error: { code: 'ELEMENT_NOT_FOUND' } },
    ],
  });
  expect(stderr).toMatch(/^Step 2 \(browser_click\) failed: ELEMENT_NOT_FOUND: /);
  expect(site.requests).toEqual(['/page/one']);
});

test('--pool and --instance choose whose settings are used, and no other browser starts', {
  tags: ['at-length'],
}, async () => {
  const workplace = await Workplace.make();
  const script = `- tool: browser_evaluate\n  args: { function: "() => 1" }\n`;
  const broken = {
    ...TWO_POOLS,
    PW_MCP_PROXY__PLAIN_EXECUTABLE_PATH: '/nowhere',
    PW_MCP_PROXY__OTHER__0_EXECUTABLE_PATH: '/nowhere',
  };
  for (const args of [
    ['--pool', 'OTHER', '--instance', 'main'],
    ['--pool', 'OTHER', '--instance', '1'],
  ]) {
    const { status, stderr } = await workplace.runHere(['run', '-', ...args], broken, script);
    expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  }
  for (const args of [[], ['--pool', 'OTHER']]) {
    const { status, stdout, stderr } = await workplace.runHere(['run', '-', ...args], broken, script);
    expect({ args, status, stdout }).toEqual({ args, status: 1, stdout: '' });
    expect(stderr).toMatch(/^BROWSER_NOT_READY: .*\/nowhere\n./);
  }
});

test.for([
  ['unknown pool', ['--pool', 'NONE'], 'POOL_NOT_FOUND', 'Use one of: OTHER, PLAIN.'],
  ['instance of another pool', ['--instance', 'main'], 'INSTANCE_NOT_FOUND', 'Use one of: 0, 1, 2.'],
] as const)('%s: 64, with the names that there are', async ([, args, code, hint]) => {
  const workplace = await Workplace.make();
  const { status, stdout, stderr } = await workplace.runHere(
    ['run', '-', ...args],
    TWO_POOLS,
    '- tool: browser_snapshot',
  );
  expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^${code}: `));
  expect(stderr).toContain(hint);
});

test('every faulty step is told at once, with its number from 1 and its line', async () => {
  const workplace = await Workplace.make({
    'steps.yaml': [
      '# a script',
      '- tool: browser_snapshot',
      '- tool: browser_teleport',
      '- tool: browser_navigate',
      '  args: { url: 3 }',
      '- tool: browser_click',
      '  arg: {}',
      '- nothing',
      '',
    ].join('\n'),
  });
  const { status, stdout, stderr } = await workplace.runHere(['run', 'steps.yaml']);
  expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
  const told = stderr.split('\n').filter((line) => line.startsWith('  steps.yaml:'));
  expect(told.map((line) => /^ {2}(\S+): (Step \d): /.exec(line)?.slice(1))).toEqual([
    ['steps.yaml:3:3', 'Step 2'],
    ['steps.yaml:5:3', 'Step 3'],
    ['steps.yaml:7:3', 'Step 4'],
    ['steps.yaml:8:3', 'Step 5'],
  ]);
});

test.for([
  ['not YAML', '- tool: [', 'INVALID_ARGUMENTS: stdin is not a script'],
  ['empty', '', 'INVALID_ARGUMENTS: stdin is not a script'],
  ['no list', 'tool: browser_snapshot', 'INVALID_ARGUMENTS: stdin is not a script'],
  ['a key too many', '- tool: browser_snapshot\n  arg: {}', 'INVALID_ARGUMENTS: stdin is not a script'],
  ['unknown tool', '- tool: browser_teleport', "stdin:3:3: Step 2: Tool 'browser_teleport' not found"],
  ['a tool that is off', '- tool: browser_run_code_unsafe\n  args: { code: "1" }', 'ALLOW_UNSAFE_CODE'],
  ['unknown argument', '- tool: browser_navigate\n  args: { link: x }', "unknown argument 'link'"],
] as const)('faulty script, %s: 64, before any step is run', async ([, faulty, message]) => {
  const site = await startSite();
  const workplace = await Workplace.make();
  // Were a browser started, the status would be 1.
  const variables = { PW_MCP_PROXY_EXECUTABLE_PATH: '/nowhere' };
  const script = faulty.startsWith('- ') ? `${navigate(`${site.origin}/page/one`)}${faulty}` : faulty;
  const { status, stdout, stderr } = await workplace.runHere(['run', '-'], variables, script);
  expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
  expect(stderr).toContain(message);
  expect(site.requests).toEqual([]);
});

test('a file that cannot be read: 64', async () => {
  const workplace = await Workplace.make();
  await writeFile(join(workplace.path, 'latin1.yaml'), Buffer.from([0x2d, 0x20, 0xe4]));
  for (const file of ['missing.yaml', '.', 'latin1.yaml']) {
    const { status, stdout, stderr } = await workplace.runHere(['run', file]);
    expect({ file, status, stdout }).toEqual({ file, status: 64, stdout: '' });
    expect(stderr).toContain(`The script ${file} cannot be read`);
  }
});

for (const { signal, expected, tags } of [
  { signal: 'SIGINT', expected: 130, tags: [] },
  { signal: 'SIGTERM', expected: 143, tags: ['at-length'] },
  { signal: 'SIGHUP', expected: 129, tags: ['at-length'] },
] as const) {
  const title = `${signal} in mid-step: the browser is closed, the report tells it, and the status is ${expected}`;
  test(title, { tags: [...tags] }, async () => {
    const site = await startSite();
    const workplace = await Workplace.make();
    const { child, ended } = workplace.start(['run', '-']);
    child.stdin.end(navigate(`${site.origin}/page/one`) + navigate(`${site.origin}/hang`));
    await expect.poll(() => site.requests).toContain('/hang');
    expect((await workplace.processes()).length).toBeGreaterThan(1);
    child.kill(signal);
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      steps: [
        { success: true },
        { success: false, error: { code: 'CANCELLED', message: `Ended by ${signal}.` } },
      ],
    });
    expect(stderr).toBe(`Step 2 (browser_navigate) failed: CANCELLED: Ended by ${signal}.\n`);
    await nothingIsLeft(workplace);
    expect(await workplace.temporaryFiles()).toEqual([]);
  });
}

test('SIGTERM while the browser hangs in its start: the command ends all the same, and so does the browser', {
  tags: ['at-length'],
}, async () => {
  const workplace = await Workplace.make();
  const browser = join(workplace.path, 'browser');
  await writeFile(browser, '#!/bin/sh\nexec sleep 600\n');
  await chmod(browser, 0o755);
  const { child, ended } = workplace.start(['run', '-'], { PW_MCP_PROXY_EXECUTABLE_PATH: browser });
  child.stdin.end('- tool: browser_snapshot');
  await expect.poll(async () => (await workplace.processes()).length).toBe(2);
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ status: 143, stdout: '' });
  await noProcessIsLeft(workplace);
});

test('a browser that is killed in mid-step: the step fails, and the status is 1', {
  tags: ['at-length'],
}, async () => {
  const site = await startSite();
  const workplace = await Workplace.make();
  const { child, ended } = workplace.start(['run', '-']);
  child.stdin.end(navigate(`${site.origin}/hang`));
  await expect.poll(() => site.requests).toContain('/hang');
  for (const id of await workplace.processes()) {
    // Ended meanwhile with the one before it, perhaps.
    if (id !== child.pid) expect([undefined, 'ESRCH']).toContain(kill(id));
  }
  const { status, stdout } = await ended;
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    success: false,
    steps: [{ error: { code: 'INSTANCE_CRASHED' } }],
  });
  await noProcessIsLeft(workplace);
});

test('a stray rejection in code of the script does not end the run', { tags: ['at-length'] }, async () => {
  const workplace = await Workplace.make();
  const code =
    "async () => { Promise.reject(new Error('stray')); await new Promise((done) => setImmediate(done)); }";
  const script = `- tool: browser_run_code_unsafe\n  args: { code: "${code}" }\n- tool: browser_snapshot\n`;
  const { status, stdout, stderr } = await workplace.run(
    ['run', '-'],
    { PW_MCP_PROXY_ALLOW_UNSAFE_CODE: 'true' },
    script,
  );
  expect(status).toBe(0);
  expect((JSON.parse(stdout) as Report).steps).toHaveLength(2);
  expect(stderr).toContain('stray');
});
