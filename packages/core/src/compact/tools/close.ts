import * as z from 'zod';
import { compactTool } from '../compact-tool.js';

/** [002-close-01] An instance closes its browser itself; this is for who has no more than its pages. */
export const close = compactTool({
  name: 'browser_close',
  description: 'Close the session and its pages. The next call starts a fresh one.',
  input: z.strictObject({}),
  output: z.object({ success: z.boolean() }),
  async run({ pages }) {
    await pages.close();
    return { facts: { success: true } };
  },
});
