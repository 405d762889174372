import { type CallOptions, PwpoolError } from '@pwpool/core';
import type { FirstPage } from '@pwpool/core/internal';
import { z } from 'zod';
import { instanceId } from '../target.js';
import { definePoolTool, type PoolToolParts } from './pool-tool.js';

const sessionId = z.string().min(1).max(64);

const startInput = z.strictObject({
  sessionId: sessionId.optional().describe('Name of the session; default browser-1, browser-2, …'),
  browser_pool: z.string().optional().describe('Pool; default pool if omitted'),
  browser_instance: z
    .preprocess(instanceId, z.string().optional())
    .describe('Instance id or alias; any if omitted'),
  headless: z.boolean().optional().describe('false: with a window'),
  navigationUrl: z.string().optional().describe('Page to open first'),
  restore: z.string().optional().describe('Start with the cookies, storage and page saved under this name'),
  from: z.string().optional().describe('Start with a copy of the cookies, storage and page of this session'),
});

/** [003-start-01, 003-start-02, 003-start-03, 003-exists-01] */
export const startBrowser = definePoolTool({
  name: 'start_browser',
  description:
    'Start a browser session of your own. Pass its sessionId with every browser tool; close it when done.',
  readOnly: false,
  input: startInput,
  handle: start,
});

/** `start_browser` by another name, which need not be listed to be found [003-provider-02]. */
export const startSession = definePoolTool({
  name: 'start_session',
  description: 'start_browser by another name',
  readOnly: false,
  isListed: false,
  input: startInput.extend({ provider: z.string().optional() }),
  handle: async ({ provider, ...input }, parts, options) => {
    if (provider !== undefined && provider !== 'local') throw noProvider(provider, parts);
    return await start(input, parts, options);
  },
});

function noProvider(provider: string, { pools }: PoolToolParts): PwpoolError {
  const names = pools.config.pools.map(({ name }) => name);
  return new PwpoolError('INVALID_ARGUMENTS', `There is no provider '${provider}', only 'local'.`, {
    hint: `Leave provider out. Browsers come from the pools of this server: browser_pool ${names.join(', ')}.`,
    details: { provider, valid: ['local'] },
  });
}

async function start(
  {
    browser_pool: pool,
    browser_instance: instance,
    navigationUrl: url,
    ...input
  }: z.infer<typeof startInput>,
  { client, calls }: PoolToolParts,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  const started = await calls.startSession({ client, pool, instance, url, ...input, ...options });
  const { session, opened, restored, notices, warning } = started;
  return {
    ...session.info(),
    ...(restored ? { restored: true, ...restored } : {}),
    ...(opened ? describeFirstPage(opened) : {}),
    ...(notices.length > 0 ? { notices } : {}),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** The session was started whatever became of its page, so its failure is told as that of the navigation alone. */
function describeFirstPage(opened: FirstPage): Record<string, unknown> {
  if ('page' in opened) return opened;
  return { navigation: { success: false, error: opened.error.toJSON() } };
}

/** [003-list-01] */
export const listSessions = definePoolTool({
  name: 'list_sessions',
  description: 'List your sessions, which one is current, and when each would expire.',
  readOnly: true,
  input: z.strictObject({}),
  handle: async (_, { client, sessions }) => ({ ...sessions.list(client.id) }),
});

/** [003-current-01] */
export const setCurrentSession = definePoolTool({
  name: 'set_current_session',
  description: 'Choose the session for calls without sessionId.',
  readOnly: false,
  input: z.strictObject({ sessionId: sessionId.describe('Session to make current') }),
  handle: async ({ sessionId }, { client, sessions }) => {
    sessions.setCurrent(client.id, sessionId);
    return { success: true, currentSession: sessionId };
  },
});

export const closeSession = definePoolTool({
  name: 'close_session',
  description: 'End a session and give its browser back.',
  readOnly: false,
  input: z.strictObject({
    sessionId: sessionId.describe('Session to close'),
    save: z
      .string()
      .optional()
      .describe('Save its cookies, storage and page under this name for start_browser restore'),
    detach: z.boolean().optional().describe('Leave the browser as it is'),
  }),
  handle: async ({ sessionId, save, detach }, { client, sessions }, { signal }) => {
    const { incomplete } = await sessions.close(client.id, sessionId, { save, detach, signal });
    return { success: true, sessionId, ...(save === undefined ? {} : { saved: save, incomplete }) };
  },
});

/** [003-close-02, 003-close-03] */
export const closeAllSessions = definePoolTool({
  name: 'close_all_sessions',
  description: 'End all your sessions.',
  readOnly: false,
  input: z.strictObject({ detach: z.boolean().optional().describe('Leave the browsers as they are') }),
  handle: async ({ detach }, { client, sessions }) => ({
    success: true,
    closed: await sessions.closeAll(client.id, { detach }),
  }),
});
