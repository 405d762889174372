import { expect, it } from 'vitest';
import { CAPABILITIES, type Capability } from '../../src/config/capabilities.js';
import { PlaywrightToolset } from '../../src/toolset/playwright-toolset.js';
import { TOOL_NAMES, traitsOf } from '../../src/upstream/tool-table.js';

const namesOf = async (options: Parameters<typeof PlaywrightToolset.load>[0]) =>
  (await PlaywrightToolset.load(options)).list().map(({ name }) => name);

it('offers the 25 core tools by default, and with CAPS the groups that it names, as upstream groups them [arch-caps-01]', async () => {
  const core = await namesOf({ allowUnsafeCode: true });
  expect(core).toHaveLength(25);
  for (const capability of CAPABILITIES.filter((name) => !name.startsWith('core'))) {
    const added = (await namesOf({ allowUnsafeCode: true, caps: [capability] })).filter(
      (name) => !core.includes(name),
    );
    expect(added.sort()).toEqual(
      TOOL_NAMES.filter((name) => traitsOf(name)?.capability === capability).sort(),
    );
  }
  const all: readonly Capability[] = CAPABILITIES;
  expect((await namesOf({ allowUnsafeCode: true, caps: all })).sort()).toEqual([...TOOL_NAMES].sort());
  expect(await namesOf({ allowUnsafeCode: false, caps: all })).not.toContain('browser_run_code_unsafe');
});

it('says of a tool that is off how an operator turns it on', async () => {
  const toolset = await PlaywrightToolset.load({ allowUnsafeCode: false });
  expect(() => toolset.check('browser_pdf_save', {})).toThrow(
    expect.objectContaining({
      code: 'TOOL_NOT_FOUND',
      message: "Tool 'browser_pdf_save' is off.",
      hint: expect.stringContaining("group 'pdf'"),
    }),
  );
});
