import { forgive, recover } from './policies/recovery.js';
import type { PoolContext } from './pool-context.js';
import type { OperationRequest, Slot } from './slot.js';
import { mayHave } from './slot-owner.js';

/** How long an operation waits for the holder of an instance, and who is told how far it has come. */
export type OperationTerms = Pick<OperationRequest, 'timeoutMs' | 'onPhase'>;

/**
 * Replaces the browser as soon as nobody holds the instance, and takes a drained or given-up one back into service.
 * Rejects when the new browser does not start.
 */
export async function restart(pool: PoolContext, slot: Slot, terms: OperationTerms): Promise<void> {
  // At once: a drain that is asked for later, while this waits for the holder, has the last word.
  if (slot.service === 'out') pool.slots.put(slot, 'in');
  forgive(pool, slot);
  await replace(pool, slot, { name: 'restart', ...terms });
}

/** The same with other settings, but one that is out of service stays there. */
export async function reconfigure(pool: PoolContext, slot: Slot, terms: OperationTerms): Promise<void> {
  forgive(pool, slot);
  await replace(pool, slot, { name: 'reconfiguration', ...terms });
}

/** Replaces a browser that has served long enough. */
export async function recycle(pool: PoolContext, slot: Slot, why: string): Promise<void> {
  await replace(pool, slot, { name: 'recycling', why });
}

/** Takes the instance out of service: it gives no new lease, and when its holder is done, its browser is closed. */
export async function drain(pool: PoolContext, slot: Slot, terms: OperationTerms): Promise<void> {
  takeOut(pool, slot);
  await operate(pool, slot, { name: 'drain', ...terms }, () => slot.instance.stop());
}

/** Drains the instance, and closes it for good. It is out of service until it is no longer one of the pool. */
export async function remove(pool: PoolContext, slot: Slot, terms: OperationTerms): Promise<void> {
  takeOut(pool, slot);
  await operate(pool, slot, { name: 'removal', ...terms }, () => slot.instance.close());
}

/** Starts the browser of an idle instance. */
export async function warm(pool: PoolContext, slot: Slot): Promise<void> {
  await operate(pool, slot, { name: 'prewarm' }, () => slot.instance.start());
}

/** The same for all that rest; each tells by itself how that goes. */
export function warmAll(pool: PoolContext, slots: readonly Slot[]): void {
  const resting = slots.filter((slot) => slot.instance.state === 'stopped' && slot.isIdle);
  // A start that fails is the recovery's.
  for (const slot of resting) void warm(pool, slot).catch(() => {});
}

/** Closes the browser of an idle instance; the next lease starts it again. */
export async function cool(pool: PoolContext, slot: Slot): Promise<void> {
  await operate(pool, slot, { name: 'closing', why: 'idle (IDLE_TIMEOUT)' }, () => slot.instance.stop());
}

/** Waits for all, and throws what the first that failed threw. */
export async function settled(operations: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(operations)) if (each.status === 'rejected') throw each.reason;
}

/** Runs work on an instance that nobody holds, and puts it back afterwards, or has it recovered. */
export async function operate(
  pool: PoolContext,
  slot: Slot,
  request: OperationRequest,
  work: () => Promise<void>,
): Promise<void> {
  await slot.operate(request, work, () => {
    if (pool.closedBy) slot.park('its pool is closed');
    else if (slot.service === 'out') slot.park('out of service: drained');
    else if (!mayHave('queue', slot.instance.state)) recover(pool, slot);
    else slot.circulate();
  });
}

function takeOut(pool: PoolContext, slot: Slot): void {
  pool.slots.put(slot, 'out');
  forgive(pool, slot);
  slot.instance.drain();
}

async function replace(pool: PoolContext, slot: Slot, request: OperationRequest): Promise<void> {
  const { instance } = slot;
  await operate(pool, slot, request, async () => {
    const ran = instance.startedAt !== null;
    instance.browser?.retire();
    // Nobody can do more about a browser that does not close properly than to replace it.
    await instance.stop().catch(() => {});
    instance.reconfigure(pool.configOf(slot.id) ?? instance.config);
    if (slot.service === 'out') return;
    if (ran || !pool.settings.lazy) await instance.start();
  });
}
