import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config-input.js';
import type { PwpoolError } from '../../src/errors.js';
import { bulkCommands } from '../../src/toolset/bulk-commands.js';
import { inspectToolset } from '../../src/toolset/load-toolset.js';
import { PlaywrightToolset } from '../../src/toolset/playwright-toolset.js';

const load = (options: { toolsAllow?: string[]; toolsDeny?: string[] }) =>
  PlaywrightToolset.load(resolveConfig(options).server);

async function namesOf(options: Parameters<typeof load>[0]): Promise<string[]> {
  return (await load(options)).list().map(({ name }) => name);
}

describe('TOOLS_ALLOW and TOOLS_DENY', () => {
  it('leave the tools whose names the globs say [arch-offer-02]', async () => {
    expect(await namesOf({ toolsAllow: ['browser_navigate*', 'browser_snapshot'] })).toEqual([
      'browser_navigate',
      'browser_navigate_back',
      'browser_snapshot',
    ]);
    const all = await namesOf({});
    expect(await namesOf({ toolsDeny: ['browser_network_*'] })).toEqual(
      all.filter((name) => !name.startsWith('browser_network_')),
    );
    expect(
      await namesOf({ toolsAllow: ['browser_navigate*'], toolsDeny: ['browser_navigate_back'] }),
    ).toEqual(['browser_navigate']);
  });

  it('deny a call of what they keep back, alone and in a bulk, and say that the configuration does', async () => {
    const toolset = await load({ toolsDeny: ['browser_evaluate'] });
    const denied = {
      code: 'TOOL_NOT_FOUND',
      message: "Tool 'browser_evaluate' is denied.",
      hint: 'The configuration of this server denies it (TOOLS_DENY names it). Use another tool, or tell the user.',
    };
    expect(() => toolset.check('browser_evaluate', { function: '() => 1' })).toThrow(
      expect.objectContaining(denied),
    );
    const commands = [{ tool: 'browser_snapshot' }, { tool: 'browser_evaluate', args: { function: '1' } }];
    expect(() => bulkCommands(commands, toolset)).toThrow(`commands[1]: ${denied.message} ${denied.hint}`);
    const few = await load({ toolsAllow: ['browser_snapshot'] });
    expect(() => few.check('browser_click', {})).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('TOOLS_ALLOW does not name it') }),
    );
  });

  it.each([
    [
      { toolsDeny: ['browser_clik'] },
      'TOOLS_DENY names no tool: browser_clik (PW_MCP_PROXY_TOOLS_DENY). Did you mean browser_click?',
    ],
    [
      { toolsAllow: ['list_sesions*'] },
      'TOOLS_ALLOW names no tool: list_sesions* (PW_MCP_PROXY_TOOLS_ALLOW). Did you mean list_sessions?',
    ],
    [
      { toolsAllow: ['browser_pdf_*'] },
      "TOOLS_ALLOW names a tool that is off: browser_pdf_save (PW_MCP_PROXY_TOOLS_ALLOW). It is one of the group 'pdf'",
    ],
    [
      { toolsAllow: ['browser_run_code_unsafe'] },
      'TOOLS_ALLOW names a tool that is off: browser_run_code_unsafe (PW_MCP_PROXY_TOOLS_ALLOW). It runs code in the server',
    ],
  ])('refuse a pattern that has no effect, with what was meant: %j', async (options, message) => {
    const error = await load(options).catch((thrown: PwpoolError) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
    expect(await inspectToolset(resolveConfig(options).server)).toHaveLength(1);
  });

  it('may deny a tool that is off: it stays so when its group is turned on', async () => {
    expect(await namesOf({ toolsDeny: ['browser_pdf_save'] })).toEqual(await namesOf({}));
  });
});
