import { z } from 'zod';
import { definePoolTool } from './pool-tool.js';

/** [000-status-01] to [000-status-11] */
export const browserPoolStatus = definePoolTool({
  name: 'browser_pool_status',
  description: 'Show the browser pools: what each is for, which instances are healthy, leased or available.',
  readOnly: true,
  input: z.strictObject({ pool_name: z.string().optional().describe('Only this pool') }),
  handle: async ({ pool_name }, { pools }) => ({
    ...(await pools.checkedStatus(pool_name)),
  }),
});
