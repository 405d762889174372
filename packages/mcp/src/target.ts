import type { Tool, ToolArguments } from '@pwpool/core';
import type { Target } from '@pwpool/core/internal';
import { PwpoolError } from '@pwpool/core/light';

/** Without descriptions, since each is sent once a tool with every `tools/list`: the instructions tell what they mean. */
const TARGET_PROPERTIES = {
  sessionId: { type: 'string' },
  browser_pool: { type: 'string' },
  browser_instance: { type: 'string' },
} as const;

/** Ids are texts that look like numbers: a model that writes one as a number means the same instance. */
export function instanceId(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** Adds the three targeting arguments to a browser tool. */
export function withTarget(tool: Tool): Tool {
  return {
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { ...tool.inputSchema.properties, ...TARGET_PROPERTIES },
    },
  };
}

/**
 * Takes the targeting arguments out of a call's arguments.
 * @throws PwpoolError `INVALID_ARGUMENTS` for one that is no text
 */
export function splitTarget(args: ToolArguments): { target: Target; args: ToolArguments } {
  const { sessionId, browser_pool, browser_instance, ...rest } = args;
  const target = {
    sessionId: nameIn('sessionId', sessionId),
    pool: nameIn('browser_pool', browser_pool),
    instance: nameIn('browser_instance', instanceId(browser_instance)),
  };
  return { target, args: rest };
}

/** Whether it leaves open which browser is meant. */
export function isEmpty({ sessionId, pool, instance }: Target): boolean {
  return sessionId === undefined && pool === undefined && instance === undefined;
}

function nameIn(argument: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new PwpoolError('INVALID_ARGUMENTS', `'${argument}' must be a string that is not empty.`, {
    hint: 'Give a name, or leave it out.',
  });
}
