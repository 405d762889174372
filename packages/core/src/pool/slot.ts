import type { CancelTimer, Clock } from '../clock.js';
import type { PwpoolError } from '../errors.js';
import type { RestartHistory } from '../health/restart-policy.js';
import type { Instance } from '../instance/instance.js';
import type { Grant } from '../lease/grant.js';
import type { LeaseQueue } from '../lease/lease-queue.js';
import type { Holder, Lease } from './lease.js';
import { takenByForce } from './pool-errors.js';
import { mayFollow, OPERATIONS, type OperationName, type Owner, whoHas } from './slot-owner.js';

/** Something to be done to an instance while nobody holds it. */
export interface OperationRequest {
  name: OperationName;
  /** For people: "has served 100 leases (MAX_USES)". */
  why?: string | undefined;
  /** Milliseconds after which the instance is taken from its holder; as long as that takes if left out. */
  timeoutMs?: number | undefined;
  /** Told how far the operation has come. */
  onPhase?: ((phase: OperationPhase) => void) | undefined;
}

/** How far an operation on one instance has come. */
export type OperationPhase =
  /** `for` is for people: "session alice, for 12 s". The holder is made to give it back after `timeoutMs`, if that is there. */
  | { phase: 'waiting'; for: string; timeoutMs?: number | undefined }
  | { phase: 'begun' }
  | { phase: 'done' }
  | { phase: 'failed'; error: unknown }
  /** There was nothing to do. */
  | { phase: 'skipped'; why: string };

interface Operation extends OperationRequest {
  readonly controller: AbortController;
}

interface WaitingOperation {
  readonly operation: Operation;
  readonly cancelTimer: CancelTimer;
  readonly begin: () => void;
}

/** What the running browser has been through. */
export interface Wear {
  /** How many leases it has served. */
  uses: number;
  /** In [0, 1), drawn when it is first asked for. */
  jitter: number | undefined;
  memoryBytes: number | undefined;
  /** Probes missed in a row. */
  missedProbes: number;
}

/** Whether the instance is worth waiting for: `given-up` has failed for good, `out` is drained. */
export type Service = 'in' | 'given-up' | 'out';

export interface SlotOptions {
  instance: Instance;
  clock: Clock;
  queue: LeaseQueue;
  ownerChanged: (from: Owner, to: Owner) => void;
}

/**
 * All that a pool knows of one instance, and the lock that all who touch it pass: its owner.
 *
 * - There is one owner at a time, and every change of owner is in the table of `slot-owner.ts`.
 * - An operation begins when the owner is done, after those that asked before it; at once where the table says so, and
 *   then the signal of the operation that had the instance aborts: that one does nothing more.
 * - Whoever is done passes the instance on to the operation that has waited longest, before anybody can lease it.
 */
export class Slot {
  readonly instance: Instance;
  readonly #options: SlotOptions;
  #owner: Owner;
  #operation: Operation | undefined;
  readonly #waiting: WaitingOperation[] = [];

  lease: Lease | undefined;
  /** Ends the timers that watch how long the lease lasts. */
  stopWatching: (() => void) | undefined;
  /** How often a browser of it has started. */
  starts = 0;
  /** Why a browser of it was lost or did not start, the last time. */
  lastError: { at: number; message: string } | null = null;
  /** How often the instance has been granted. */
  grants = 0;
  /** Set when an operation has waited for the holder for long enough: who is about to get the instance gets this error. */
  overdue: PwpoolError | undefined;
  /** The start of a browser that the queue had begun for a grant. */
  begun: { grant: Grant; started: Promise<void> } | undefined;
  /** Some holder has used the browser since it was last clean. */
  used = false;
  /** On whose behalf it was used last, by name. */
  usedBy: string | undefined;
  wear = unworn();
  /** The probe under way. */
  probe: Promise<boolean> | undefined;
  restarts: RestartHistory = { restarts: [] };
  /** Changed by `Slots.put` only. */
  service: Service = 'in';
  /** When a given-up one was tried last, milliseconds since the epoch. */
  triedAt = 0;
  /** That it was given up has been told, and it has not started since. */
  toldGivenUp = false;
  /** To be removed from the pool. */
  leaving = false;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.instance = options.instance;
    this.#owner = { kind: 'nobody', since: options.clock.now() };
  }

  get id(): string {
    return this.instance.id;
  }

  get owner(): Owner {
    return this.#owner;
  }

  get isIdle(): boolean {
    return this.#options.queue.stateOf(this.id) === 'idle';
  }

  /** Whether whoever asks now gets it at once. */
  get isFree(): boolean {
    return this.#options.queue.isFree(this.id);
  }

  /** Whether an operation waits for its turn. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether an operation sees to the instance that a failure need not disturb. */
  get isLookedAfter(): boolean {
    return this.#operation !== undefined && this.#owner.kind !== 'clean-up';
  }

  /** Begins to start the browser for a grant, before this returns. */
  beginStart(grant: Grant): void {
    const started = this.instance.start();
    this.begun = { grant, started };
    // Whoever has the grant is told.
    started.catch(() => {});
  }

  /** The browser is a new one, whoever started it. */
  renew(): void {
    this.wear = unworn();
    this.starts += 1;
    this.toldGivenUp = false;
  }

  /** A browser of it was lost, or did not start. */
  failed(message: string): void {
    this.lastError = { at: this.#options.clock.now(), message };
  }

  /** A caller has the instance, and knows it. */
  granted(holder: Holder): void {
    this.#pass({ kind: 'holder', since: this.#options.clock.now(), holder });
  }

  /** Puts the instance into circulation: its browser runs, or the next lease starts one. */
  circulate(): void {
    this.#pass({ kind: 'queue', since: this.#options.clock.now() });
    this.used = false;
    this.#options.queue.restore(this.id, { cold: this.instance.state === 'stopped' });
  }

  /** A holder is done with the instance: it goes to the operation that has waited longest, else to the queue. */
  giveBack(grant: Grant): void {
    const cold = this.instance.state === 'stopped';
    if (!this.isAwaited) this.#pass({ kind: 'queue', since: this.#options.clock.now() });
    grant.release({ reserve: this.isAwaited, cold });
    this.passOn();
  }

  /** The operation that has waited longest has its turn. False if none waits. */
  passOn(): boolean {
    const next = this.#waiting.shift();
    if (!next) return false;
    next.cancelTimer();
    this.#begin(next.operation);
    next.begin();
    return true;
  }

  /** The pool is closed: whoever asked for an operation is told, and a start or its delay ends. */
  retire(): void {
    if (this.#owner.kind === 'housekeeping' && this.#operation) return;
    this.#operation?.controller.abort();
    if (!this.passOn() && this.#owner.kind !== 'nobody') this.park('its pool is closed');
  }

  /** Nobody has the instance until somebody asks for more. */
  park(why: string): void {
    this.#pass({ kind: 'nobody', since: this.#options.clock.now(), why });
  }

  /**
   * Runs an operation when it has its turn. Rejects as `work` does.
   * @param work given a signal that aborts when the instance is somebody else's
   * @param done called when the work has ended, the instance is still the operation's and no other one waits
   */
  async operate(
    request: OperationRequest,
    work: (signal: AbortSignal) => Promise<void>,
    done: () => void,
  ): Promise<void> {
    const operation: Operation = { ...request, controller: new AbortController() };
    const { onPhase, timeoutMs } = request;
    if (this.#mayBegin(operation)) this.#begin(operation);
    else {
      onPhase?.({ phase: 'waiting', for: whoHas(this.#owner, this.#options.clock.now()), timeoutMs });
      await this.#turn(operation);
    }
    onPhase?.({ phase: 'begun' });
    try {
      await work(operation.controller.signal);
      onPhase?.({ phase: 'done' });
    } catch (error) {
      onPhase?.({ phase: 'failed', error });
      throw error;
    } finally {
      if (this.#operation === operation && !this.passOn()) {
        this.#operation = undefined;
        done();
      }
    }
  }

  #mayBegin({ name }: Operation): boolean {
    const { owner } = OPERATIONS[name];
    const { kind } = this.#owner;
    // Who holds an instance hands it over to be cleaned, and an operation that is over has no more to do with it.
    const isDone = kind === 'holder' ? owner === 'clean-up' : this.#operation === undefined;
    if (!mayFollow(kind, owner, isDone ? 'in turn' : 'at once')) return false;
    return kind !== 'queue' || this.#options.queue.stateOf(this.id) !== 'leased';
  }

  /** Only the holder is hurried: whatever else is done to the instance has deadlines of its own. */
  #turn(operation: Operation): Promise<void> {
    const { clock } = this.#options;
    const { timeoutMs } = operation;
    return new Promise((resolve) => {
      const cancelTimer =
        timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => this.#hurry(operation, timeoutMs));
      this.#waiting.push({ operation, cancelTimer, begin: resolve });
    });
  }

  #hurry({ name }: Operation, timeoutMs: number): void {
    const error = takenByForce(this.instance, OPERATIONS[name].participle, timeoutMs);
    this.overdue ??= error;
    void this.lease?.expire(error);
  }

  #begin(operation: Operation): void {
    this.#operation?.controller.abort();
    const { name, why } = operation;
    this.#options.queue.reserve(this.id);
    this.overdue = undefined;
    this.#pass({
      kind: OPERATIONS[name].owner,
      since: this.#options.clock.now(),
      operation: name,
      why,
    });
    this.#operation = operation;
  }

  #pass(owner: Owner): void {
    const from = this.#owner;
    if (!mayFollow(from.kind, owner.kind)) {
      throw new Error(`Instance ${this.id} cannot go from ${from.kind} to ${owner.kind}.`);
    }
    this.#owner = owner;
    this.#operation = undefined;
    this.#options.ownerChanged(from, owner);
  }
}

function unworn(): Wear {
  return { uses: 0, jitter: undefined, memoryBytes: undefined, missedProbes: 0 };
}
