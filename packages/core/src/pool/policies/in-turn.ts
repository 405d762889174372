import { whenFreed } from '../freed.js';
import type { PoolContext } from '../pool-context.js';
import { mayServe } from '../pool-status.js';
import type { Slot } from '../slot.js';

/** What an instance waits for whose turn has not come, for people. */
export const ITS_TURN = 'its turn (RESTART_CONCURRENCY)';

/**
 * Replaces browsers so that the pool goes on: of the instances in service at most `RESTART_CONCURRENCY` are without their
 * browser at a time, also where two reloads or restarts overlap, and the last one that a caller could have waits until
 * there is another one, or the time is up. The others, which serve nobody or have no browser yet, have their turn at once.
 * Rejects with the first failure, when all are done.
 *
 * @param timeoutMs what holders have in all
 * @param replace is given the milliseconds that are left of that
 * @param onWait is told of each that has to wait for its turn
 */
export async function inTurn(
  pool: PoolContext,
  slots: readonly Slot[],
  timeoutMs: number,
  replace: (slot: Slot, leftMs: number) => Promise<void>,
  onWait: (slot: Slot) => void,
): Promise<void> {
  const deadline = pool.clock.now() + timeoutMs;
  const failures: unknown[] = [];
  const replaceOne = async (slot: Slot) => {
    const leftMs = Math.max(0, deadline - pool.clock.now());
    await replace(slot, leftMs).catch((error: unknown) => failures.push(error));
  };
  const serves = (slot: Slot) =>
    slot.service === 'in' && slot.owner.kind !== 'start' && slot.instance.state !== 'stopped';
  const waiting = new Set(slots.filter(serves));
  const absent = slots.filter((slot) => !serves(slot)).map(replaceOne);
  const isOver = () => waiting.size === 0 || pool.shuttingDown !== undefined;
  const takeTurn = async () => {
    // At once where there is one: only those are told of a wait that have to.
    using _place = pool.replacing.tryAcquire() ?? (await pool.replacing.acquire());
    if (isOver()) return true;
    const slot = nextOf(pool, waiting, deadline);
    if (!slot) return false;
    waiting.delete(slot);
    await replaceOne(slot);
    return true;
  };
  const takeTurns = async () => {
    while (!isOver()) if (!(await takeTurn())) await whenFreed(pool, deadline);
  };
  const turns = Array.from({ length: pool.settings.restartConcurrency }, takeTurns);
  for (const slot of waiting) onWait(slot);
  await Promise.all([...absent, ...turns]);
  if (failures.length > 0) throw failures[0];
}

/** One that nobody holds, as long as callers find another one beside it; else one whose holder has to be waited for. */
function nextOf(pool: PoolContext, waiting: ReadonlySet<Slot>, deadline: number): Slot | undefined {
  const inService = pool.slots.staying().filter(({ service }) => service === 'in');
  const free = new Set(inService.filter((slot) => slot.isFree && mayServe(slot.instance)));
  const isSpare = free.size > 1 || inService.length <= 1 || pool.clock.now() >= deadline;
  const candidates = [...waiting];
  return (
    (isSpare ? candidates.find((slot) => free.has(slot)) : undefined) ??
    candidates.find((slot) => !free.has(slot))
  );
}
