import type { CallOptions } from '@pwpool/core';
import type { FirstPage } from '@pwpool/core/internal';
import { PwpoolError } from '@pwpool/core/light';
import * as z from 'zod';
import { instanceId } from '../target.js';
import { definePoolTool, type PoolToolParts } from './pool-tool.js';

/** As a client chooses it; the server may lengthen it by a secret. */
const newSessionId = z.string().min(1).max(64);
const sessionId = z.string().min(1).max(128);

const startInput = z.strictObject({
  sessionId: newSessionId.optional(),
  browser_pool: z.string().optional(),
  browser_instance: z.preprocess(instanceId, z.string().optional()),
  headless: z.boolean().optional(),
  navigationUrl: z.string().optional(),
  restore: z.string().optional().describe('Saved state to start with'),
  from: z.string().optional().describe('Session to copy the state of'),
});

/** [003-start-01, 003-start-02, 003-start-03, 003-exists-01] */
export const startBrowser = definePoolTool({
  name: 'start_browser',
  description: 'Start a session. Pass its sessionId with every browser tool; close it when done.',
  readOnly: false,
  input: startInput,
  choices: ({ pools }) => ({ browser_pool: pools }),
  help: {
    sessionId: 'Its name. Default: browser-1, browser-2, …',
    browser_pool: 'Default: the default pool',
    browser_instance: 'Id or alias. Default: any that is free',
    headless: 'Without a window, or with one. Default: as the pool has it',
    navigationUrl: 'The page to open first',
    restore: 'Begin with the cookies, storage and page that close_session saved under this name',
    from: 'Begin with a copy of the cookies, storage and page of this session',
  },
  example: { sessionId: 'alice', navigationUrl: 'http://localhost:3000/' },
  handle: start,
});

/** `start_browser` by another name, which need not be listed to be found [003-provider-02]. */
export const startSession = definePoolTool({
  name: 'start_session',
  aliasOf: 'start_browser',
  description: 'start_browser by another name',
  readOnly: false,
  input: startInput.extend({ provider: z.string().optional() }),
  handle: async ({ provider, ...input }, parts, options) => {
    if (provider !== undefined && provider !== 'local') throw noProvider(provider, parts);
    return await start(input, parts, options);
  },
});

function noProvider(provider: string, { client, pools }: PoolToolParts): PwpoolError {
  const names = pools.names(client.principal);
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
  { client, calls, toolset }: PoolToolParts,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  if (url !== undefined) toolset.check('browser_navigate', { url });
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
  description: 'List your sessions.',
  readOnly: true,
  example: {},
  input: z.strictObject({}),
  handle: async (_, { client, sessions }) => ({ ...sessions.list(client.id) }),
});

/** [003-current-01] */
export const setCurrentSession = definePoolTool({
  name: 'set_current_session',
  description: 'Choose the session for calls without sessionId.',
  readOnly: false,
  help: { sessionId: 'The session to make current' },
  example: { sessionId: 'alice' },
  input: z.strictObject({ sessionId }),
  handle: async ({ sessionId }, { client, sessions }) => {
    if (client.connected === false) throw noConnection();
    sessions.setCurrent(client.id, sessionId);
    return { success: true, currentSession: sessionId };
  },
});

function noConnection(): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    'There is no current session: calls come one by one, over no connection.',
    {
      hint: 'Pass sessionId with every call.',
    },
  );
}

export const closeSession = definePoolTool({
  name: 'close_session',
  description: 'End a session and give its browser back.',
  readOnly: false,
  help: {
    sessionId: 'The session to close',
    save: 'Keep its cookies, storage and page under this name, for restore of start_browser',
    detach: 'Leave the browser as it is',
  },
  example: { sessionId: 'alice', save: 'signed-in' },
  input: z.strictObject({
    sessionId,
    save: z.string().optional().describe('Save its state under this name'),
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
  help: { detach: 'Leave the browsers as they are' },
  example: {},
  input: z.strictObject({
    detach: z.boolean().optional(),
  }),
  handle: async ({ detach }, { client, sessions }) => ({
    success: true,
    closed: await sessions.closeAll(client.id, { detach }),
  }),
});
