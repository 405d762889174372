import type { OperationStep } from '@pwpool/core';
import { type Asker, asPwpoolError } from '@pwpool/core/internal';

/** How far an operation has come with an instance, as it is told: the error in its wire form. */
export type ToldStep = Record<string, unknown> & Pick<OperationStep, 'pool' | 'instance' | 'phase'>;

/** What an operation came to: each instance that it was about, with the last that was told of it. */
export interface InstancesReport extends Record<string, unknown> {
  /** False if it failed for an instance. */
  success: boolean;
  instances: readonly ToldStep[];
}

/**
 * Runs an operation on instances, and tells whoever asked what becomes of each. That an instance failed stands in the report.
 * @throws PwpoolError as `work` for what is no instance's failure
 */
export async function reportOn(
  { tell }: Pick<Asker, 'tell'>,
  work: (onStep: (step: OperationStep) => void) => Promise<unknown>,
): Promise<InstancesReport> {
  const last = new Map<string, ToldStep>();
  const onStep = (step: OperationStep) => {
    const told =
      step.phase === 'failed' ? { ...step, error: asPwpoolError(step.error).toJSON() } : { ...step };
    last.set(`${step.pool}/${step.instance}`, told);
    tell(told);
  };
  const hasFailed = () => [...last.values()].some(({ phase }) => phase === 'failed');
  await work(onStep).catch((error: unknown) => {
    if (!hasFailed()) throw error;
  });
  return { success: !hasFailed(), instances: [...last.values()] };
}
