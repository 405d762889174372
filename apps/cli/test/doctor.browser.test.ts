import { expect, test } from 'vitest';
import { Workplace } from './command.js';

interface Report {
  healthy: boolean;
  findings: { check: string; status: string; message: string; fix?: string }[];
}

test('what is configured is tried out, and works: 0', async () => {
  const workplace = await Workplace.make();
  const { status, stdout, stderr } = await workplace.runHere(['doctor']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^ok {4}node: Node \d+/);
  expect(stdout).toMatch(/\nok {4}browser chromium: instance 0 of DEFAULT starts in \d+ ms\n$/);
  expect(await workplace.processes()).toEqual([]);
});

test('what does not work is told with what to do: 1', async () => {
  const workplace = await Workplace.make();
  const port = ['--set', 'W.cdp_port_base=1', '--set', 'W.instances=1'];
  const pools = ['--set', 'A.instances=400', '--set', 'A.is_default=true', '--set', 'A.lazy=true'];
  const args = [
    'doctor',
    '--json',
    '--set',
    'executable_path=/nowhere',
    '--set',
    'sandbox=true',
    ...pools,
    ...port,
  ];
  const { status, stdout } = await workplace.runHere(args);
  expect(status).toBe(1);
  const { healthy, findings } = JSON.parse(stdout) as Report;
  expect(healthy).toBe(false);
  const browsers = findings.filter(({ check }) => check === 'browser chromium');
  expect(browsers[0]).toMatchObject({
    status: 'failure',
    message: expect.stringContaining('EXECUTABLE_PATH names no executable file'),
    fix: expect.stringContaining('Correct EXECUTABLE_PATH'),
  });
  expect(findings.find(({ check }) => check === 'memory')?.message).toMatch(
    /^401 instances in 401 browsers need/,
  );
  expect(findings.map(({ check }) => check)).toContain('port 1');
  for (const { status: each, fix } of findings) expect(each === 'ok').toBe(fix === undefined);
});

test('an invalid configuration is told as by validate: 78', async () => {
  const workplace = await Workplace.make();
  const { status, stderr } = await workplace.runHere(['doctor', '--set', 'headles=true']);
  expect(status).toBe(78);
  expect(stderr).toContain('Did you mean --set headless?');
});
