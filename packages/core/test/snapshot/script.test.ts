import { expect, it } from 'vitest';
import { runScript } from '../../src/script/run-script.js';
import { poolOf } from '../pool/pool-fixture.js';

it('a script takes the arguments for what is shown of a page, and has all of the others', async () => {
  const { clock, driver, pools } = await poolOf({ instances: 1 });
  const links = Array.from({ length: 1_000 }, (_, i) => `- link "Link ${i}" [ref=kqbze${i}]`).join('\n');
  const text = `### Snapshot\n\`\`\`yaml\n${links}\n\`\`\``;
  driver.answer = () => ({ content: [{ type: 'text', text }] });
  const query = { flatten: true, jmespath_query: "[?name=='Link 999'].ref", output_format: 'json' };
  const steps = [
    { tool: 'browser_navigate', args: { url: 'https://a.example/', silent_mode: true } },
    { tool: 'browser_click', args: { target: 'kqbze1' } },
    { tool: 'browser_snapshot', args: {} },
    { tool: 'browser_snapshot', args: query },
  ];
  await using lease = await pools.lease();
  const { steps: reports } = await runScript(steps, lease, { clock });
  const [silent, action, whole, found] = reports.map(({ content }) => content);
  expect(silent).toEqual([{ type: 'text', text: '' }]);
  expect([action, whole]).toEqual([[{ type: 'text', text }], [{ type: 'text', text }]]);
  expect(found).toEqual([{ type: 'text', text: expect.stringContaining('```json\n["kqbze999"]\n```') }]);
  expect(driver.calls.map(({ args }) => Object.keys(args))).toEqual([['url'], ['target'], [], []]);
});
