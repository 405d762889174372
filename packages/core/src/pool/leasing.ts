import type { Clock } from '../clock.js';
import type { PoolSettings } from '../config/model.js';
import { outputFolder } from '../driver/tool-options.js';
import { type PwpoolError, reasonOf } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { AcquireOptions, Grant, Wait } from '../lease/grant.js';
import type { LeaseCounts } from '../lease/lease-counts.js';
import { LeaseQueue, type WaitingInfo } from '../lease/lease-queue.js';
import type { Workspace, Workspaces } from '../upstream/workspace.js';
import { withDeadline } from '../waiting/deadline.js';
import { Claims } from './claims.js';
import type { Emitter } from './emitter.js';
import { Lease, type ReleaseOptions } from './lease.js';
import type { LeaseOptions } from './lease-options.js';
import { LeaseWatch } from './lease-watch.js';
import type { Members } from './members.js';
import type { Patience } from './patience.js';
import {
  crashedBeforeUse,
  endedBySignal,
  heldLeases,
  leaseTimedOut,
  notReadyInTime,
  poolBusy,
} from './pool-errors.js';
import type { LossCause, PoolEvents } from './pool-events.js';
import { Readiness } from './readiness.js';

export interface LeasingOptions {
  pool: string;
  clock: Clock;
  settings: () => PoolSettings;
  members: Members;
  workspaces: Workspaces;
  events: Emitter<PoolEvents>;
  /** Whether holders may run code in this process. */
  allowUnsafeCode: boolean;
  /** Why no browser is started at the moment. */
  barred: () => string | undefined;
  /** The other pools that have browsers. */
  elsewhere: () => readonly string[];
  /** Why that instance, or any, is not worth waiting for. */
  refusal: (wanted?: Instance) => PwpoolError | undefined;
  /** An instance was granted, or put into circulation. */
  onMove: () => void;
  /** A holder is done with the instance. */
  onUsed: (instance: Instance) => void;
  /** The instance is about to go to the next holder, unless it is claimed now. */
  onReturn: (instance: Instance) => void;
  /** The browser did not start. */
  onStartFailed: (instance: Instance, reason: string) => void;
  /** The browser is there but of no use. */
  giveUp: (instance: Instance, cause: LossCause, reason: string) => void;
}

/** Leases the instances of a pool out and takes them back: who has which, and who is next. */
export class Leasing {
  readonly #options: LeasingOptions;
  readonly #queue: LeaseQueue;
  readonly #leases = new Map<Instance, Lease>();
  readonly #readiness = new Readiness();
  readonly #watch: LeaseWatch;
  readonly #claims: Claims;
  readonly #grants = new WeakMap<Instance, number>();
  #closedBy: PwpoolError | undefined;

  constructor(options: LeasingOptions) {
    this.#options = options;
    const { clock, pool, members, settings, events, barred, elsewhere } = options;
    const held = () => heldLeases(this.#leases.values(), clock.now());
    this.#queue = new LeaseQueue({
      clock,
      strategy: settings().strategy,
      limit: settings().queueLimit,
      onTimeout: (info) =>
        leaseTimedOut({
          info,
          pool,
          held: held(),
          instances: members,
          barred: barred(),
          elsewhere: elsewhere(),
        }),
      onFull: (info) => poolBusy({ info, pool, held: held(), elsewhere: elsewhere() }),
      // At once: the start takes its place at the gate before another cold instance is granted.
      onCold: (grant) => this.#begin(grant),
    });
    this.#claims = new Claims(clock);
    this.#watch = new LeaseWatch({ clock, settings, events });
  }

  /** Adds an instance, out of circulation until `restore`. */
  add(instance: Instance): void {
    this.#queue.add(instance.id, { reserve: true });
  }

  remove(instance: Instance): void {
    this.#queue.remove(instance.id);
  }

  counts(): LeaseCounts {
    return this.#queue.counts();
  }

  waiting(): WaitingInfo[] {
    return this.#queue.waiting();
  }

  leaseOf(instance: Instance): Lease | undefined {
    return this.#leases.get(instance);
  }

  isIdle(instance: Instance): boolean {
    return this.#queue.stateOf(instance.id) === 'idle';
  }

  /** Whether whoever asks now gets it at once. */
  isFree(instance: Instance): boolean {
    return this.#queue.isFree(instance.id);
  }

  /** A suspect is given to nobody who can have another. */
  suspect(instance: Instance, isSuspect: boolean): void {
    this.#queue.setDoubtful(instance.id, isSuspect);
  }

  /** How often the instance has been granted; `undefined` while it is not idle. */
  idleAfter(instance: Instance): number | undefined {
    return this.isIdle(instance) ? (this.#grants.get(instance) ?? 0) : undefined;
  }

  /** Puts an instance into circulation: its browser has just been started, or the next lease starts one. */
  restore(instance: Instance): void {
    if (!this.#queue.restore(instance.id, { cold: instance.state === 'stopped' })) return;
    this.#readiness.renewed(instance);
    this.#options.onMove();
  }

  /** While held, no lease is given that would have to start a browser. */
  holdStarts(hold: boolean): void {
    this.#queue.holdCold(hold);
  }

  applySettings(): void {
    const { strategy, queueLimit } = this.#options.settings();
    this.#queue.setStrategy(strategy);
    this.#queue.setLimit(queueLimit);
  }

  /** Tells those who wait for an instance, or all who wait, that they wait in vain. */
  refuseWaiters(error: PwpoolError, instance?: Instance): void {
    this.#queue.rejectWaiters(error, instance?.id);
  }

  /** Leases an instance, in order of arrival. The browser of the lease runs when this resolves. */
  async lease(options: LeaseOptions): Promise<Lease> {
    const { clock, pool, settings, events, members, workspaces, refusal, onMove, allowUnsafeCode } =
      this.#options;
    const holder = options.holder ?? 'library';
    const keep = options.keep ?? false;
    const timeoutMs = options.timeoutMs ?? settings().leaseTimeout;
    const takenAt = this.#watch.whereTaken();
    const signal = options.endOn ? anyOf(options.endOn, options.signal) : options.signal;
    let own: Workspace | undefined;
    const askedAt = clock.now();
    try {
      const wanted = options.instance === undefined ? undefined : members.find(options.instance);
      const refused = refusal(wanted);
      if (refused) throw refused;
      const acquire = {
        key: wanted?.id,
        timeoutMs,
        signal,
        label: holder,
        startsItself: options.headless !== undefined,
      };
      const grant = await this.#acquire(acquire, options.onWait);
      onMove();
      const instance = members.get(grant.key);
      if (!instance) throw members.notFound(grant.key);
      this.#grants.set(instance, (this.#grants.get(instance) ?? 0) + 1);
      // It crashed, or the pool was closed, before this caller was told of its turn.
      if (grant.released) throw this.#closedBy ?? crashedBeforeUse(instance);
      const workspace = options.workspace ?? workspaces.open(outputFolder(instance.config), options.root);
      if (workspace !== options.workspace) own = workspace;
      const prepare = async () => {
        await this.#readiness.ready(instance, grant, keep, options.headless);
        if (!grant.released) await instance.workIn(workspace);
      };
      await this.#prepare(instance, grant, prepare(), askedAt + timeoutMs - clock.now(), signal);
      if (grant.released) throw this.#closedBy ?? crashedBeforeUse(instance);
      const lease = new Lease({
        instance,
        workspace,
        holder,
        allowUnsafeCode,
        startedAt: clock.now(),
        onRelease: (release) => this.#release(instance, grant, keep, release),
      });
      if (own) lease.ended.addEventListener('abort', () => own?.[Symbol.dispose](), { once: true });
      if (options.endOn) endWith(lease, options.endOn);
      this.#leases.set(instance, lease);
      this.#watch.begin(lease, takenAt);
      events.emit('lease-granted', () => ({ ...lease.about, waitedMs: lease.startedAt - askedAt }));
      return lease;
    } catch (error) {
      own?.[Symbol.dispose]();
      events.emit('lease-refused', () => ({ pool, holder, waitedMs: clock.now() - askedAt, error }));
      throw error;
    }
  }

  /** Ends the lease of an instance, if there is one, and takes the instance out of circulation. */
  takeBack(instance: Instance, error: PwpoolError): void {
    this.#queue.revoke(instance.id);
    this.#readiness.renewed(instance);
    this.#leases.get(instance)?.revoke(error);
    this.#end(instance);
    instance.runHeadless(undefined);
    this.#claims.settle(instance);
    this.#options.onMove();
  }

  /** Takes an instance out of circulation as soon as nobody holds it, however long that is if there is no `patience`. */
  async claim(instance: Instance, patience: Patience | undefined): Promise<void> {
    if (this.#queue.stateOf(instance.id) !== 'leased') {
      if (this.#queue.reserve(instance.id)) this.#options.onMove();
      return;
    }
    // What prepares or cleans an instance for a holder has deadlines of its own.
    await this.#claims.wait(instance, patience, (error) => void this.#leases.get(instance)?.expire(error));
  }

  /** Somebody else waits behind the claim, perhaps not for so long. */
  hasten(instance: Instance, patience: Patience): void {
    this.#claims.hasten(instance, patience);
  }

  /** Refuses everyone, now and from now on, and ends every lease, also one that is being prepared. */
  close(error: PwpoolError): void {
    this.#closedBy = error;
    this.#queue.close(error);
    for (const instance of this.#options.members) this.takeBack(instance, error);
  }

  #begin(grant: Grant): void {
    const instance = this.#options.members.get(grant.key);
    if (instance) this.#readiness.start(instance, grant);
  }

  async #acquire(options: AcquireOptions, onWait: LeaseOptions['onWait']): Promise<Grant> {
    const over = new AbortController();
    const { pool, clock, barred } = this.#options;
    const tell = ({ position }: Wait) =>
      onWait?.({
        pool,
        instance: options.key,
        over: over.signal,
        position,
        holders: () => heldLeases(this.#leases.values(), clock.now()),
        barred,
      });
    try {
      return await this.#queue.acquire({ ...options, onWait: tell });
    } finally {
      over.abort();
    }
  }

  /** Brings the instance of a fresh grant to where its holder may use it. On failure the grant is given back. */
  async #prepare(
    instance: Instance,
    grant: Grant,
    work: Promise<void>,
    patienceMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // A start may have to wait for another instance's browser to end, which counts as waiting for the lease.
    const timeoutMs = Math.max(patienceMs, 0) + instance.config.settings.startTimeout;
    const onTimeout = () => notReadyInTime(instance, timeoutMs, this.#options.barred());
    try {
      await withDeadline(
        { clock: this.#options.clock, timeoutMs, signals: [signal], onTimeout },
        'lease',
        () => work,
      );
      const overdue = this.#claims.overdue(instance);
      if (overdue) throw overdue;
    } catch (error) {
      // What was begun is finished before anyone else gets the instance, also when this caller has left.
      void this.#giveBack(instance, grant, work);
      throw error;
    }
  }

  async #release(instance: Instance, grant: Grant, keep: boolean, options: ReleaseOptions): Promise<void> {
    if (grant.released) return;
    this.#end(instance);
    this.#readiness.used(instance);
    this.#options.onUsed(instance);
    if (this.#readiness.isRelaunched(instance)) await this.#giveBack(instance, grant, Promise.resolve());
    else if (options.detach || !this.#readiness.cleansAfter(instance, keep)) this.#circulate(instance, grant);
    else await this.#giveBack(instance, grant, this.#readiness.clean(instance));
  }

  /**
   * Puts the instance back into circulation after `work` on its browser, or replaces the browser if that failed. The
   * grant is kept until then: a crash voids it, and with it whatever the work on the lost browser comes to.
   */
  async #giveBack(instance: Instance, grant: Grant, work: Promise<void>): Promise<void> {
    try {
      await this.#readiness.asConfigured(instance, work);
      this.#circulate(instance, grant);
    } catch (error) {
      if (grant.released) return;
      if (instance.state === 'failed') this.#options.onStartFailed(instance, reasonOf(error));
      else this.#options.giveUp(instance, 'reset', reasonOf(error));
    }
  }

  #circulate(instance: Instance, grant: Grant): void {
    if (grant.released) return;
    this.#options.onReturn(instance);
    grant.release({ reserve: this.#claims.has(instance), cold: instance.state === 'stopped' });
    this.#claims.settle(instance);
  }

  #end(instance: Instance): void {
    const lease = this.#leases.get(instance);
    if (!lease) return;
    this.#leases.delete(instance);
    this.#watch.end(lease);
    const { clock, events } = this.#options;
    events.emit('lease-ended', () => ({
      ...lease.about,
      heldMs: clock.now() - lease.startedAt,
      error: lease.revoked.aborted ? lease.revoked.reason : undefined,
    }));
  }
}

function anyOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([one, other]) : one;
}

/** The lease ends with the signal. The signal keeps nothing of a lease that is over. */
function endWith(lease: Lease, signal: AbortSignal): void {
  const end = () => void lease.expire(endedBySignal(lease, signal.reason));
  signal.addEventListener('abort', end, { once: true, signal: lease.ended });
}
