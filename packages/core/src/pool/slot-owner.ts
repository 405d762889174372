import type { InstanceState } from '../instance/instance-state.js';
import type { Holder } from './lease.js';

/**
 * Who may touch an instance now: nobody else does.
 *
 * - `nobody`: out of service, failed for good, or its pool is closed
 * - `queue`: in circulation: idle, or granted to a caller who has yet to be told
 * - `holder`: from the grant until the lease has ended
 * - `clean-up`: what a holder leaves is brought to where the next one may have it
 * - `start`: its browser is started for nobody in particular, at first or after a failure, the wait before that included
 * - `housekeeping`: its browser is replaced, closed, or started in advance
 */
export type OwnerKind = 'nobody' | 'queue' | 'holder' | 'clean-up' | 'start' | 'housekeeping';

/** `at once`: it is taken from its owner; `in turn`: only when that is done with it. */
type Succession = 'at once' | 'in turn';

interface OwnerRules {
  /** Who may have it after this owner. */
  next: Partial<Record<OwnerKind, Succession>>;
  /** What the instance may be like meanwhile. */
  states: readonly InstanceState[];
}

/** Every legal change of owner, and the states that go with each, in one place. */
const OWNERS: Record<OwnerKind, OwnerRules> = {
  nobody: {
    next: { start: 'at once', housekeeping: 'at once' },
    states: ['stopped', 'failed', 'draining'],
  },
  queue: {
    next: { holder: 'at once', start: 'at once', housekeeping: 'at once', nobody: 'at once' },
    states: ['stopped', 'starting', 'healthy', 'suspect', 'draining'],
  },
  holder: {
    // A browser that is gone is its holder's no more: `start`.
    next: {
      queue: 'in turn',
      'clean-up': 'in turn',
      start: 'at once',
      housekeeping: 'in turn',
      nobody: 'at once',
    },
    states: ['stopped', 'starting', 'healthy', 'suspect', 'failed', 'draining'],
  },
  'clean-up': {
    next: { queue: 'in turn', start: 'at once', housekeeping: 'in turn', nobody: 'at once' },
    states: ['stopped', 'starting', 'healthy', 'suspect', 'failed', 'draining'],
  },
  start: {
    next: { queue: 'in turn', start: 'at once', housekeeping: 'at once', nobody: 'at once' },
    states: ['stopped', 'starting', 'healthy', 'failed', 'draining'],
  },
  housekeeping: {
    next: { queue: 'in turn', start: 'in turn', housekeeping: 'in turn', nobody: 'in turn' },
    states: ['stopped', 'starting', 'healthy', 'suspect', 'failed', 'draining'],
  },
};

/** Whether `to` may have the instance after `from`, at all or even while `from` is not done with it. */
export function mayFollow(from: OwnerKind, to: OwnerKind, when: Succession = 'in turn'): boolean {
  const succession = OWNERS[from].next[to];
  return succession === 'at once' || succession === when;
}

/** Whether an instance in that state may belong to that owner. */
export function mayHave(owner: OwnerKind, state: InstanceState): boolean {
  return OWNERS[owner].states.includes(state);
}

/** Whatever is done to an instance while nobody holds it: whose work it is, and what the instance is being. */
export const OPERATIONS = {
  start: { owner: 'start', participle: 'started' },
  recovery: { owner: 'start', participle: 'started again' },
  reset: { owner: 'clean-up', participle: 'cleaned' },
  restart: { owner: 'housekeeping', participle: 'restarted' },
  recycling: { owner: 'housekeeping', participle: 'replaced' },
  reconfiguration: { owner: 'housekeeping', participle: 'restarted with other settings' },
  drain: { owner: 'housekeeping', participle: 'taken out of service' },
  removal: { owner: 'housekeeping', participle: 'removed' },
  prewarm: { owner: 'housekeeping', participle: 'started in advance' },
  closing: { owner: 'housekeeping', participle: 'closed' },
} as const satisfies Record<string, { owner: OwnerKind; participle: string }>;

export type OperationName = keyof typeof OPERATIONS;

/** Who has an instance at the moment, since when and why. */
export interface Owner {
  readonly kind: OwnerKind;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly holder?: Holder | undefined;
  readonly operation?: OperationName | undefined;
  /** For people: "has served 100 leases (MAX_USES)". */
  readonly why?: string | undefined;
}

/** Whom somebody waits for who wants the instance: "session alice, for 12 s". */
export function whoHas(owner: Owner, now: number): string {
  const { kind, holder, since } = owner;
  if (kind !== 'holder') return whyUnavailable(owner, now) ?? 'a caller who is about to have it';
  return `${holder ?? 'its holder'}, for ${Math.floor((now - since) / 1000)} s`;
}

/**
 * Why nobody can lease the instance although nobody holds it: "being replaced for 3 s: has served 100 leases (MAX_USES)".
 * `undefined` where that is not so.
 */
export function whyUnavailable({ kind, since, operation, why }: Owner, now: number): string | undefined {
  if (kind === 'nobody') return why;
  if (operation === undefined) return undefined;
  const text = `being ${OPERATIONS[operation].participle} for ${Math.floor((now - since) / 1000)} s`;
  return why === undefined ? text : `${text}: ${why}`;
}
