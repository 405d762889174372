import { memoryOf, type ProcessTable, readProcessTable } from '../../driver/process-tree.js';
import { decideRecycle, type RecycleReason } from '../../health/recycle-policy.js';
import { recycle } from '../operations.js';
import type { PoolContext } from '../pool-context.js';
import type { Slot } from '../slot.js';

/** Replaces a browser that has served long enough, before the next holder gets the instance. */
export function recycleIfDue(pool: PoolContext, slot: Slot): void {
  if (slot.isAwaited || slot.isLookedAfter) return;
  const reason = dueFor(pool, slot);
  if (!reason) return;
  pool.events.emit('instance-recycled', () => ({ pool: pool.name, instance: slot.id, ...reason }));
  // A start that fails is the recovery's, and told by events of its own.
  recycle(pool, slot, reason.text).catch(() => {});
}

/** Replaces browsers that have become too old or too large, if nobody uses them. */
export async function recycleIdle(pool: PoolContext, slots: readonly Slot[]): Promise<void> {
  const measured = pool.settings.maxMemoryMb !== undefined && slots.length > 0;
  const table = measured ? readProcessTable() : undefined;
  await Promise.all(
    slots.map(async (slot) => {
      if (table) await measure(slot, table);
      if (slot.isIdle) recycleIfDue(pool, slot);
    }),
  );
}

async function measure({ instance, wear }: Slot, table: ProcessTable): Promise<void> {
  const { browser } = instance;
  if (!browser?.owned || browser.processId === null) return;
  const bytes = await memoryOf(browser.processId, table);
  wear.memoryBytes = bytes === undefined ? undefined : bytes / browser.sharedBy;
}

function dueFor(
  { clock, random, settings, throttled }: PoolContext,
  { instance, wear }: Slot,
): RecycleReason | undefined {
  const { startedAt } = instance;
  if (startedAt === null) return undefined;
  const { maxUses, maxAge, maxMemoryMb } = settings;
  // An old browser is better than none; one that is too large is part of the trouble.
  const limits = { maxUses: undefined, maxAge: undefined, maxMemoryMb };
  wear.jitter ??= random();
  return decideRecycle(
    { ...wear, startedAt, jitter: wear.jitter },
    throttled === undefined ? { ...limits, maxUses, maxAge } : limits,
    clock.now(),
  );
}
