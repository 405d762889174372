import { type ControlOperations, defineOperation } from '@pwpool/core/internal';
import * as z from 'zod';
import type { OperatedServer } from './operated-server.js';
import { reportOn } from './report.js';

const timeoutMs = z.int().nonnegative().optional();
const target = z.strictObject({ pool: z.string(), instance: z.string().optional(), timeoutMs });

/** What can be done to the instances of a pool, or to one of them. */
export function instanceOperations({ pools }: OperatedServer): ControlOperations {
  return {
    restart: defineOperation(
      target,
      async ({ pool, ...options }, asker) =>
        await reportOn(asker, (onStep) => pools.pool(pool).restart({ ...options, onStep })),
    ),
    drain: defineOperation(
      target,
      async ({ pool, ...options }, asker) =>
        await reportOn(asker, (onStep) => pools.pool(pool).drain({ ...options, onStep })),
    ),
    resume: defineOperation(
      target,
      async ({ pool, ...options }, asker) =>
        await reportOn(asker, (onStep) => pools.pool(pool).resume({ ...options, onStep })),
    ),
    scale: defineOperation(
      z.strictObject({ pool: z.string(), instances: z.int(), timeoutMs }),
      async ({ pool, instances, ...options }, asker) => {
        const scaled = pools.pool(pool);
        const before = scaled.config.instances.length;
        const report = await reportOn(asker, (onStep) => scaled.scale(instances, { ...options, onStep }));
        return { ...report, before, after: scaled.config.instances.length };
      },
    ),
  };
}
