import { bulkCommands } from '@pwpool/core/first-answers';
import * as z from 'zod';
import { definePoolTool } from './pool-tool.js';
import { MAX_COMMANDS, runInTurn, TARGET, TARGET_HELP } from './run-in-turn.js';

/** [000-bulk-01, 000-bulk-02, 000-bulk-03, 000-bulk-04] */
export const browserExecuteBulk = definePoolTool({
  name: 'browser_execute_bulk',
  description:
    'Run several browser tools in one browser. "${0.url}" in args is what JMESPath finds in the answer {url, title, result, text} of command 0.',
  readOnly: false,
  help: {
    commands: 'What to run, each with its tool and args; return_result: whether its result is returned',
    stop_on_error: 'Leave out what comes behind a command that failed',
    return_all_results: 'Return the result of every command',
    ...TARGET_HELP,
  },
  example: {
    commands: [
      { tool: 'browser_navigate', args: { url: 'http://localhost:3000/' } },
      { tool: 'browser_evaluate', args: { function: '() => document.forms.length' } },
      { tool: 'browser_type', args: { target: '#email', text: 'user${1.result}@example.com' } },
      { tool: 'browser_snapshot', args: { target: 'form' }, return_result: true },
    ],
  },
  input: z.strictObject({
    commands: z
      .array(
        z.strictObject({
          tool: z.string(),
          args: z.record(z.string(), z.unknown()).optional(),
          return_result: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(MAX_COMMANDS),
    stop_on_error: z.boolean().default(true),
    return_all_results: z.boolean().optional(),
    ...TARGET,
  }),
  handle: async (
    { commands, stop_on_error, return_all_results, ...target },
    parts,
    options,
  ): Promise<Record<string, unknown>> =>
    await runInTurn(
      {
        commands: bulkCommands(commands, parts.toolset),
        tellings: commands.map(({ tool, return_result: returns = return_all_results ?? false }) => ({
          told: { tool },
          returns,
        })),
        stopOnError: stop_on_error,
        target,
        what: browserExecuteBulk.name,
      },
      parts,
      options,
    ),
});
