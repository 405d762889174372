import * as z from 'zod';
import { definePoolTool } from './pool-tool.js';

/** [000-status-01] to [000-status-11] */
export const browserPoolStatus = definePoolTool({
  name: 'browser_pool_status',
  description: 'Show the pools and the state of their browsers.',
  readOnly: true,
  help: { pool_name: 'Only this pool' },
  example: { pool_name: 'DEFAULT' },
  input: z.strictObject({ pool_name: z.string().optional() }),
  handle: async ({ pool_name }, { client, pools }) => ({
    ...(await pools.checkedStatus(pool_name, client.principal)),
  }),
});
