import { adoptAtOnce, comparePools, needsBrowser } from '../../config/config-change.js';
import type { PoolConfig, PoolSettings } from '../../config/model.js';
import { checkResolvedRules } from '../../config/resolved-rules.js';
import { configInvalid } from '../../config/violations.js';
import { PwpoolError } from '../../errors.js';
import { addSlot } from '../add-slot.js';
import { refuseWaiters } from '../availability.js';
import { type PoolOperationOptions, stepsOf } from '../operation-options.js';
import { reconfigure, remove, settled, warmAll } from '../operations.js';
import type { PoolContext } from '../pool-context.js';
import type { Slot } from '../slot.js';
import type { HealthChecks } from './health-checks.js';
import { ITS_TURN, inTurn } from './in-turn.js';
import type { Prewarm } from './prewarm.js';
import { begin, retryAllGivenUp } from './recovery.js';

/** What `INSTANCES` may be at most, too. */
const MOST = 1000;

/** Brings a pool that runs from one configuration to the next: only what differs changes. */
export class Reconfiguration {
  readonly #pool: PoolContext;
  readonly #prewarm: Prewarm;
  readonly #health: HealthChecks;
  /** The latest change, until what it removes is gone. */
  #changed: Promise<void> = Promise.resolve();

  constructor(pool: PoolContext, prewarm: Prewarm, health: HealthChecks) {
    this.#pool = pool;
    this.#prewarm = prewarm;
    this.#health = health;
  }

  /** Changes the configuration when what the change before removes is gone: an id may come back. */
  async change(next: (now: PoolConfig) => PoolConfig, options: PoolOperationOptions): Promise<void> {
    const begun = this.#changed.then(() => this.#apply(next(this.#pool.config), options));
    this.#changed = begun.then(({ removed }) => removed).catch(() => {});
    const { removed, replaced } = await begun;
    await settled([removed, replaced]);
  }

  #apply(
    config: PoolConfig,
    { timeoutMs = config.settings.leaseTimeout, onStep }: PoolOperationOptions,
  ): Record<'removed' | 'replaced', Promise<void>> {
    const pool = this.#pool;
    const { gate, queue, replacing, slots } = pool;
    if (pool.shuttingDown) throw pool.shuttingDown;
    const before = pool.settings;
    const change = comparePools([pool.config, config]);
    pool.config = config;
    queue.setStrategy(config.settings.strategy);
    queue.setLimit(config.settings.queueLimit);
    gate.admit();
    replacing.limit = config.settings.restartConcurrency;
    if (change.settings.includes('healthInterval')) this.#health.applySettings();
    this.#prewarm.check();
    for (const each of change.instancesAdded) {
      const slot = addSlot(pool, this.#prewarm, each);
      stepsOf(slot, 'start', onStep)?.({ phase: 'begun' });
      begin(pool, slot);
    }
    const removed = change.instancesRemoved.map((id) =>
      removeSlot(pool, slots.find(id), { timeoutMs, onStep }),
    );
    for (const { id, after } of change.instancesChanged) {
      // What costs nothing holds at once, also for an instance that is held; the rest needs another browser.
      const { instance } = slots.find(id);
      instance.reconfigure(adoptAtOnce(instance.configured, after));
    }
    const outdated = change.instancesChanged.filter(needsBrowser).map(({ id }) => slots.find(id));
    const replaced = replaceOutdated(pool, outdated, { timeoutMs, onStep });
    // What has work to do comes back by that.
    if (allowsMore(config.settings, before)) retryAllGivenUp(pool);
    if (before.lazy && !config.settings.lazy) warmAll(pool, slots.staying());
    return { removed: settled(removed), replaced };
  }
}

/** The terms of a change, decided. */
type Terms = PoolOperationOptions & { timeoutMs: number };

async function replaceOutdated(
  pool: PoolContext,
  outdated: readonly Slot[],
  { timeoutMs, onStep }: Terms,
): Promise<void> {
  const replaceOne = async (slot: Slot, leftMs: number) => {
    const onPhase = stepsOf(slot, 'reconfiguration', onStep);
    if (slot.leaving) onPhase?.({ phase: 'skipped', why: 'removed meanwhile' });
    else await reconfigure(pool, slot, { timeoutMs: leftMs, onPhase });
  };
  await inTurn(pool, outdated, timeoutMs, replaceOne, (slot) =>
    stepsOf(slot, 'reconfiguration', onStep)?.({ phase: 'waiting', for: ITS_TURN }),
  );
}

async function removeSlot(pool: PoolContext, slot: Slot, { timeoutMs, onStep }: Terms): Promise<void> {
  const { queue, slots } = pool;
  slot.leaving = true;
  try {
    const removed = remove(pool, slot, { timeoutMs, onPhase: stepsOf(slot, 'removal', onStep) });
    queue.rejectWaiters(slots.notFound(slot.id), slot.id);
    refuseWaiters(pool, slot);
    await removed;
  } finally {
    slots.remove(slot);
    queue.remove(slot.id);
  }
}

/** More restarts, that is. */
function allowsMore(now: PoolSettings, before: PoolSettings): boolean {
  return now.autoRestart && (!before.autoRestart || now.maxRestarts > before.maxRestarts);
}

/** @throws PwpoolError `INVALID_ARGUMENTS` if a pool cannot have so many instances */
export function checkCount(count: number): void {
  if (Number.isSafeInteger(count) && count >= 1 && count <= MOST) return;
  throw new PwpoolError('INVALID_ARGUMENTS', `A pool cannot have ${count} instances.`, {
    hint: `Give a whole number from 1 to ${MOST}.`,
  });
}

/**
 * The configuration with so many instances: new ones have what the pool gives them, and the last ones go first.
 * @param others the other pools, which may have what a new instance would take
 * @throws PwpoolError `CONFIG_INVALID` when the settings do not allow so many
 */
export function scaled(config: PoolConfig, count: number, others: readonly PoolConfig[]): PoolConfig {
  const { instances, template } = config;
  const added = Array.from({ length: Math.max(count - instances.length, 0) }, (_, index) => ({
    ...template,
    id: String(instances.length + index),
  }));
  const next = { ...config, instances: [...instances.slice(0, count), ...added] };
  const violations = checkResolvedRules([...others, next]);
  if (violations.length > 0) throw configInvalid(violations);
  return next;
}
