import * as z from 'zod';
import { compactTool } from '../compact-tool.js';
import { LEVELS } from '../page-log.js';

/** [002-console-01, 002-console-02, 002-console-03, 002-life-06] */
export const consoleLogs = compactTool({
  name: 'browser_console_logs',
  description:
    'Read console messages and uncaught exceptions since the last read or browser_navigate, with network also requests. What was read is gone.',
  readOnly: true,
  input: z.strictObject({
    level: z.enum(['all', ...LEVELS]).default('all'),
    network: z.boolean().default(false).describe('Requests too'),
  }),
  output: z.object({ logs: z.array(z.object({})), uncaughtExceptions: z.array(z.object({})) }),
  async run({ log }, { level, network }) {
    const logs = log.takeConsole(level === 'all' ? undefined : level);
    const uncaught = log.takeUncaught();
    const requests = network ? log.takeRequests() : undefined;
    const dropped = logs.dropped + uncaught.dropped + (requests?.dropped ?? 0);
    return {
      facts: {
        logs: logs.entries,
        uncaughtExceptions: uncaught.entries,
        ...(requests ? { requests: requests.entries } : {}),
        // Older ones that there was no room for.
        ...(dropped > 0 ? { dropped } : {}),
      },
    };
  },
});
