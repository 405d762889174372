import { outputFolder } from '../driver/tool-options.js';
import { reasonOf } from '../errors.js';
import type { AcquireOptions, Grant, Wait } from '../lease/grant.js';
import type { Workspace } from '../upstream/workspace.js';
import { withDeadline } from '../waiting/deadline.js';
import { refusal } from './availability.js';
import { type Holder, Lease, type ReleaseOptions } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { beginLease, endLease, whereTaken } from './lease-watch.js';
import { giveUp, startFailed } from './policies/failures.js';
import { retryGivenUp } from './policies/recovery.js';
import { recycleIfDue } from './policies/recycling.js';
import type { PoolContext } from './pool-context.js';
import { crashedBeforeUse, endedBySignal, notReadyInTime } from './pool-errors.js';
import { asConfigured, clean, cleansAfter, isRelaunched, prepare } from './preparation.js';
import type { Slot } from './slot.js';

/** Leases an instance, in order of arrival. The browser of the lease runs when this resolves. */
export async function takeLease(pool: PoolContext, options: LeaseOptions): Promise<Lease> {
  const { clock, events, slots, workspaces, allowUnsafeCode } = pool;
  const holder = options.holder ?? 'library';
  const timeoutMs = options.timeoutMs ?? pool.settings.leaseTimeout;
  const takenAt = whereTaken(pool);
  const signal = options.endOn ? anyOf(options.endOn, options.signal) : options.signal;
  let own: Workspace | undefined;
  const askedAt = clock.now();
  try {
    const grant = await acquire(pool, options, { timeoutMs, signal, label: holder });
    const slot = slots.get(grant.key);
    if (!slot) throw slots.notFound(grant.key);
    slot.grants += 1;
    // It crashed, or the pool was closed, before this caller was told of its turn.
    if (grant.released) throw pool.closedBy ?? crashedBeforeUse(slot.instance);
    slot.granted(holder);
    const { instance } = slot;
    const workspace =
      options.workspace ?? workspaces.open(outputFolder(instance.config), options.root, options.principal);
    if (workspace !== options.workspace) own = workspace;
    const work = async () => {
      await prepare(slot, grant, options);
      if (!grant.released) await instance.workIn(workspace);
    };
    await finishInTime(pool, slot, grant, work(), askedAt + timeoutMs - clock.now(), signal);
    if (grant.released) throw pool.closedBy ?? crashedBeforeUse(instance);
    const lease = new Lease({
      instance,
      clock,
      workspace,
      holder,
      principal: options.principal,
      allowUnsafeCode,
      startedAt: clock.now(),
      onRelease: (release) => endUse(pool, slot, grant, options, release),
    });
    if (own) lease.ended.addEventListener('abort', () => own?.[Symbol.dispose](), { once: true });
    if (options.endOn) endWith(lease, options.endOn);
    beginLease(pool, slot, lease, takenAt);
    events.emit('lease-granted', () => ({ ...lease.about, waitedMs: lease.startedAt - askedAt }));
    return lease;
  } catch (error) {
    own?.[Symbol.dispose]();
    events.emit('lease-refused', () => ({
      pool: pool.name,
      holder,
      waitedMs: clock.now() - askedAt,
      error,
    }));
    throw error;
  }
}

/** Waits for an instance that will do. */
async function acquire(
  pool: PoolContext,
  { instance: named, headless, principal, onWait }: LeaseOptions,
  caller: Pick<AcquireOptions, 'timeoutMs' | 'signal'> & { label: Holder },
): Promise<Grant> {
  const { slots } = pool;
  const wanted = named === undefined ? undefined : slots.find(named);
  // What was given up a while ago is tried again first.
  if (!pool.shuttingDown) retryGivenUp(pool, wanted);
  const refused = pool.shuttingDown ?? refusal(pool, wanted)?.(principal);
  if (refused) throw refused;
  const key = wanted?.id;
  const asked = { ...caller, key, principal, startsItself: headless !== undefined };
  if (!onWait) return await pool.queue.acquire(asked);
  const over = new AbortController();
  const tell = ({ position }: Wait) =>
    onWait({
      pool: pool.name,
      instance: key,
      over: over.signal,
      position,
      holders: () => pool.held(principal),
      throttled: () => pool.throttled,
    });
  try {
    return await pool.queue.acquire({ ...asked, onWait: tell });
  } finally {
    over.abort();
  }
}

/** Brings the instance of a fresh grant to where its holder may use it. On failure the grant is given back. */
async function finishInTime(
  pool: PoolContext,
  slot: Slot,
  grant: Grant,
  work: Promise<void>,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { instance } = slot;
  // A start may have to wait for another instance's browser to end, which counts as waiting for the lease.
  const timeoutMs = Math.max(leftMs, 0) + instance.config.settings.startTimeout;
  const onTimeout = () => notReadyInTime(instance, timeoutMs, pool.throttled);
  try {
    await withDeadline({ clock: pool.clock, timeoutMs, signals: [signal], onTimeout }, 'lease', () => work);
    if (slot.overdue && !grant.released) throw slot.overdue;
  } catch (error) {
    // What was begun is finished before anyone else gets the instance, also when this caller has left.
    void cleanUp(pool, slot, grant, work);
    throw error;
  }
}

/** A holder is done with the instance. */
async function endUse(
  pool: PoolContext,
  slot: Slot,
  grant: Grant,
  { keep = false, principal }: LeaseOptions,
  { detach }: ReleaseOptions,
): Promise<void> {
  if (grant.released) return;
  endLease(pool, slot);
  slot.used = true;
  slot.usedBy = principal?.name;
  slot.wear.uses += 1;
  if (isRelaunched(slot)) await cleanUp(pool, slot, grant, Promise.resolve());
  else if (detach || !cleansAfter(keep, slot.instance.config.settings.reset)) giveBack(pool, slot, grant);
  else await cleanUp(pool, slot, grant, clean(slot));
}

/**
 * Puts the instance back into circulation after `work` on its browser, or replaces the browser if that failed. The
 * grant is kept until then: a crash voids it, and with it whatever the work on the lost browser comes to.
 */
async function cleanUp(pool: PoolContext, slot: Slot, grant: Grant, work: Promise<void>): Promise<void> {
  if (grant.released) return;
  const cleaned = async () => {
    try {
      await asConfigured(slot, work);
      giveBack(pool, slot, grant);
    } catch (error) {
      if (grant.released) return;
      if (slot.instance.state === 'failed') startFailed(pool, slot, reasonOf(error));
      else giveUp(pool, slot, 'reset', reasonOf(error));
    }
  };
  await slot.operate({ name: 'reset' }, cleaned, () => {});
}

function giveBack(pool: PoolContext, slot: Slot, grant: Grant): void {
  if (grant.released) return;
  recycleIfDue(pool, slot);
  slot.giveBack(grant);
}

function anyOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([one, other]) : one;
}

/** The lease ends with the signal. The signal keeps nothing of a lease that is over. */
function endWith(lease: Lease, signal: AbortSignal): void {
  const end = () => void lease.expire(endedBySignal(lease, signal.reason));
  signal.addEventListener('abort', end, { once: true, signal: lease.ended });
}
