import { z } from 'zod';
import { definePoolTool } from './pool-tool.js';

/** Seed 003, "Session Lifecycle". */
export const startBrowser = definePoolTool({
  name: 'start_browser',
  description:
    'Start a browser session of your own. Pass its sessionId to browser tools to reach it. Other sessions never see its pages.',
  readOnly: false,
  input: z.strictObject({
    sessionId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Name of the session; default browser-1, browser-2, …'),
    browser_pool: z.string().optional().describe('Pool; default pool if omitted'),
    browser_instance: z.string().optional().describe('Instance id or alias; any if omitted'),
    navigationUrl: z.string().optional().describe('Page to open first'),
  }),
  handle: async (input, gateway, signal) => {
    const session = await gateway.startSession(input, signal);
    return { ...session.info() };
  },
});

/** Seed 003, "Session Listing". */
export const listSessions = definePoolTool({
  name: 'list_sessions',
  description: 'List your sessions and which one is current.',
  readOnly: true,
  input: z.strictObject({}),
  handle: async (_, gateway) => ({ ...gateway.sessions.list(gateway.client) }),
});

export const closeSession = definePoolTool({
  name: 'close_session',
  description: 'End a session and give its browser back.',
  readOnly: false,
  input: z.strictObject({ sessionId: z.string().describe('Session to close') }),
  handle: async ({ sessionId }, gateway) => {
    await gateway.sessions.close(gateway.client, sessionId);
    return { success: true, sessionId };
  },
});
