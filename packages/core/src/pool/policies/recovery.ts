import { driverOf } from '../../config/instance-driver.js';
import { decideRestart, type RestartDecision } from '../../health/restart-policy.js';
import { pause } from '../../waiting/pause.js';
import { refuseWaiters } from '../availability.js';
import type { PoolContext } from '../pool-context.js';
import type { Slot } from '../slot.js';
import { mayHave } from '../slot-owner.js';

/** Milliseconds, at the least, between two tries to start what was given up. */
const RETRY_DELAY_MS = 60_000;

/** Starts the browser; a lazy pool's is left for its first lease. A start that fails is tried again. */
export function begin(pool: PoolContext, slot: Slot): void {
  bringUp(pool, slot, { name: 'start' }, (signal) => startUntilWell(pool, slot, 0, signal));
}

/**
 * Starts a failed instance again, now or later, as the restart policy says, unless somebody sees to it already.
 * @param cleared when the old browser is out of the way; a slow one may find that the instance has been started meanwhile
 */
export function recover(pool: PoolContext, slot: Slot, cleared?: Promise<void>): void {
  if (pool.closedBy || slot.isLookedAfter || slot.passOn()) return;
  tryAgain(pool, slot, cleared);
}

/** Tries again what was given up a while ago, since somebody wants that instance, or any. Who asked may wait for it. */
export function retryGivenUp(pool: PoolContext, wanted?: Slot): void {
  const { clock, settings, slots } = pool;
  if (slots.givenUp.size === 0 || !settings.autoRestart) return;
  for (const slot of [...slots.givenUp]) {
    const isWanted = wanted === undefined || wanted === slot;
    if (!isWanted || slot.isLookedAfter || Math.abs(clock.now() - slot.triedAt) < RETRY_DELAY_MS) continue;
    slots.put(slot, 'in');
    begin(pool, slot);
  }
}

/** More restarts are allowed than were: what was given up is tried again. */
export function retryAllGivenUp(pool: PoolContext): void {
  for (const slot of [...pool.slots.givenUp]) {
    forgive(pool, slot);
    tryAgain(pool, slot);
  }
}

/** Forgets what the instance has failed before: it may come back into service. */
export function forgive(pool: PoolContext, slot: Slot): void {
  slot.restarts = { restarts: [] };
  slot.toldGivenUp = false;
  if (slot.service === 'given-up') pool.slots.put(slot, 'in');
}

/** Whether the restart policy would start the instance again. */
export function comesBack(pool: PoolContext, slot: Slot): boolean {
  return decide(pool, slot, () => 0).delayMs !== undefined;
}

function tryAgain(pool: PoolContext, slot: Slot, cleared?: Promise<void>): void {
  const why = slot.instance.health.error ?? undefined;
  bringUp(pool, slot, { name: 'recovery', why }, async (signal) => {
    if (cleared !== undefined) await cleared;
    if (!signal.aborted) await startUntilWell(pool, slot, nextTry(pool, slot), signal);
  });
}

function bringUp(
  pool: PoolContext,
  slot: Slot,
  request: { name: 'start' | 'recovery'; why?: string | undefined },
  work: (signal: AbortSignal) => Promise<void>,
): void {
  void slot.operate(request, work, () => {
    if (!mayHave('queue', slot.instance.state)) {
      slot.park(failedForGood(slot));
      return;
    }
    if (slot.service === 'given-up') pool.slots.put(slot, 'in');
    slot.circulate();
  });
}

function failedForGood({ instance }: Slot): string {
  return `failed for good: ${instance.health.error}`;
}

/** @param delayMs before the first try; `undefined`: there is none */
async function startUntilWell(
  pool: PoolContext,
  slot: Slot,
  delayMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { instance } = slot;
  let wait = delayMs;
  while (wait !== undefined && !signal.aborted) {
    if (wait > 0 && !(await pause(pool.clock, wait, signal))) return;
    if (pool.settings.lazy) instance.rest();
    // The instance keeps the reason, for status and messages.
    else await instance.start().catch(() => {});
    if (signal.aborted || instance.state !== 'failed') return;
    wait = nextTry(pool, slot);
  }
}

/** In how many milliseconds a failed instance may be started again; `undefined`: it stays failed. */
function nextTry(pool: PoolContext, slot: Slot): number | undefined {
  const { delayMs, history } = decide(pool, slot, pool.random);
  slot.restarts = history;
  if (delayMs !== undefined) {
    const about = { pool: pool.name, instance: slot.id };
    pool.events.emit('instance-restarting', () => ({ ...about, delayMs }));
    return delayMs;
  }
  giveUp(pool, slot);
  // Somebody else runs what is behind it, and whoever starts that again does not tell us.
  const isElsewhere = driverOf(slot.instance.config) === 'endpoint';
  return pool.settings.autoRestart && isElsewhere ? RETRY_DELAY_MS : undefined;
}

function giveUp(pool: PoolContext, slot: Slot): void {
  const { events, slots } = pool;
  slot.triedAt = pool.clock.now();
  if (slot.service === 'given-up') return;
  slots.put(slot, 'given-up');
  if (!slot.toldGivenUp) {
    slot.toldGivenUp = true;
    const { id: instance } = slot;
    events.emit('instance-given-up', () => ({
      pool: pool.name,
      instance,
      reason: slot.instance.health.error,
    }));
  }
  refuseWaiters(pool, slot);
}

function decide({ clock, settings }: PoolContext, slot: Slot, random: () => number): RestartDecision {
  return decideRestart(slot.restarts, clock.now(), settings.autoRestart ? settings.maxRestarts : 0, random);
}
