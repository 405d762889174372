import { readsPage, sequenceCommands } from '@pwpool/core/first-answers';
import * as z from 'zod';
import { definePoolTool } from './pool-tool.js';
import { MAX_COMMANDS, runInTurn, TARGET, TARGET_HELP } from './run-in-turn.js';

/** What the actions that read answer is told, and what the last one does: there the next decision begins [003-sequence-01]. */
export const executeSequence = definePoolTool({
  name: 'execute_sequence',
  description:
    'Run actions in turn: navigate {url}, click_element {selector}, set_value {selector, value}, get_visible_elements.',
  readOnly: false,
  help: {
    actions:
      'navigate {url}, click_element {selector}, set_value {selector, value}, get_visible_elements, take_screenshot; selectors are CSS',
    ...TARGET_HELP,
  },
  example: {
    actions: [
      { action: 'navigate', url: 'http://localhost:3000/' },
      { action: 'set_value', selector: '#email', value: 'a@example.com' },
      { action: 'click_element', selector: '#login' },
      { action: 'get_visible_elements' },
    ],
  },
  input: z.strictObject({
    actions: z
      .array(z.looseObject({ action: z.string() }))
      .min(1)
      .max(MAX_COMMANDS),
    ...TARGET,
  }),
  handle: async ({ actions, ...target }, parts, options): Promise<Record<string, unknown>> =>
    await runInTurn(
      {
        commands: sequenceCommands(actions, parts.toolset),
        tellings: actions.map(({ action }, index) => ({
          told: { action },
          returns: readsPage(action) || index === actions.length - 1,
        })),
        stopOnError: true,
        target,
        what: executeSequence.name,
      },
      parts,
      options,
    ),
});
