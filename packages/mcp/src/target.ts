import type { Tool, ToolArguments } from '@pwpool/core';
import { PwpoolError, type Session } from '@pwpool/core';

/** Which browser a call is meant for [arch-target-01] to [arch-target-07]. */
export interface Target {
  sessionId?: string | undefined;
  browser_pool?: string | undefined;
  browser_instance?: string | undefined;
}

/** Described in few words: each is sent once a tool with every `tools/list`. */
const TARGET_PROPERTIES = {
  sessionId: { type: 'string', description: 'Session to use' },
  browser_pool: { type: 'string', description: 'Pool to use' },
  browser_instance: { type: 'string', description: 'Instance id or alias' },
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
  const target: Target = {};
  const given = { sessionId, browser_pool, browser_instance: instanceId(browser_instance) };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '') {
      throw new PwpoolError('INVALID_ARGUMENTS', `'${key}' must be a string that is not empty.`);
    }
    target[key as keyof Target] = value;
  }
  return { target, args: rest };
}

/**
 * A session may be named together with the pool and instance it has, and with no others.
 * @throws PwpoolError `TARGET_CONFLICT`
 */
export function checkAgreement(session: Session, target: Target): void {
  const { pool, id, alias } = session.config;
  const { browser_pool, browser_instance } = target;
  const agrees =
    (browser_pool === undefined || browser_pool === pool) &&
    (browser_instance === undefined || browser_instance === id || browser_instance === alias);
  if (agrees) return;
  throw new PwpoolError(
    'TARGET_CONFLICT',
    `Session '${session.id}' uses instance '${id}' of pool '${pool}', not what the call names beside it.`,
    {
      hint: 'Name the session alone, or leave sessionId out.',
      details: { sessionId: session.id, ...target },
    },
  );
}
