import * as z from 'zod';
import { otherVersion } from './control-client.js';
import type { ServerEntry } from './runtime-registry.js';

/** What a server tells of an instance while it carries an operation out. What is not known here passes unchanged. */
const stepSchema = z.looseObject({
  operation: z.string(),
  pool: z.string(),
  instance: z.string(),
  alias: z.string().nullable(),
  status: z.string(),
  phase: z.string(),
  for: z.string().optional(),
  timeoutMs: z.number().optional(),
  why: z.string().optional(),
  error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
});

const reportSchema = z.looseObject({
  success: z.boolean(),
  instances: z.array(stepSchema),
  /** Of scaling: how many instances there were, and are. */
  before: z.number().optional(),
  after: z.number().optional(),
  /** Of a reload. */
  poolsAdded: z.array(z.string()).optional(),
  poolsRemoved: z.array(z.string()).optional(),
  changed: z
    .array(
      z.looseObject({
        key: z.string(),
        pool: z.string().nullable(),
        instances: z.array(z.string()),
        cost: z.string(),
      }),
    )
    .optional(),
  needsRestart: z.array(z.string()).optional(),
});

export type ToldStep = z.infer<typeof stepSchema>;

/** What an operation on instances came to. */
export type OperationReport = z.infer<typeof reportSchema>;

/** What was told, if it is of an instance. */
export function readStep(told: unknown): ToldStep | undefined {
  return stepSchema.safeParse(told).data;
}

/** @throws PwpoolError `EXECUTION_ERROR` if the server is of a version with other reports */
export function readReport(entry: ServerEntry, result: unknown): OperationReport {
  const { success, data } = reportSchema.safeParse(result);
  if (success) return data;
  throw otherVersion(entry, 'in a form that is not known here');
}
