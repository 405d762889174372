import { type ControlOperations, defineOperation } from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';
import { reportOn } from './report.js';

/** Takes the configuration in that the files say now. */
export function reloadOperation(server: OperatedServer): ControlOperations {
  return {
    reload: defineOperation(z.strictObject({}), async (_, asker) => {
      let came: object = {};
      const report = await reportOn(asker, async (onStep) => {
        const { done, ...reloaded } = await server.reload({ onStep });
        came = reloaded;
        await done;
      });
      return { ...report, ...came };
    }),
  };
}
