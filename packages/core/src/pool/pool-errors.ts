import type { PoolConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { LeaseTimeoutInfo, LineFullInfo } from '../lease/lease-counts.js';
import type { Principal } from '../principals/principal.js';
import type { Holder, Lease } from './lease.js';

/**
 * Who holds what, since when and for how long.
 * @param caller who is told: others are not named to it
 */
export function heldLeases(
  leases: Iterable<Lease>,
  now: number,
  caller: Principal | undefined,
): { instance: string; holder: Holder; since: string; heldMs: number }[] {
  return [...leases].map(({ instance, holder, principal, startedAt }) => ({
    instance,
    holder: principal?.name === caller?.name ? holder : 'another client',
    since: new Date(startedAt).toISOString(),
    heldMs: now - startedAt,
  }));
}

/** What an agent can do where another pool has browsers, else nothing. */
function useAnother(elsewhere: readonly string[]): string[] {
  if (elsewhere.length === 0) return [];
  const names = elsewhere.slice(0, 3).map((name) => JSON.stringify(name));
  return [
    `Use another pool, with start_browser or in a call without sessionId: browser_pool ${names.join(' or ')}.`,
  ];
}

/** What a caller who got no lease needs to know. */
interface Refusal<Info> {
  info: Omit<Info, 'principal'>;
  pool: string;
  /** The pools that have browsers. */
  elsewhere: readonly string[];
  held: ReturnType<typeof heldLeases>;
}

/** The error of a wait that ran out of time: it tells who holds what, so that nobody has to guess. */
export function leaseTimedOut(
  refusal: Refusal<LeaseTimeoutInfo> & {
    instances: readonly Instance[];
    /** Which instances nobody can lease although nobody holds them, and why. */
    unavailable: readonly { instance: string; why: string }[];
    throttled: string | undefined;
  },
): PwpoolError {
  const { info, pool, held, unavailable, throttled } = refusal;
  const wanted = info.key === undefined ? 'an instance' : `instance '${info.key}'`;
  // One that is being started again has failed before.
  const down = refusal.instances.filter(({ state }) => state === 'failed' || state === 'starting');
  const failed = down.find(({ health }) => health.error !== null)?.health.error ?? undefined;
  const { idle, held: heldBack, leased, reserved, waiting } = info.counts;
  return new PwpoolError(
    'LEASE_TIMEOUT',
    `Waited ${info.waitedMs} ms for ${wanted} of pool '${pool}': ${leased} leased, ${idle} idle, ${reserved} out of ` +
      `circulation, ${waiting} more waiting. Held: ${inWords(held)}.` +
      (unavailable.length === 0
        ? ''
        : ` Not available: ${unavailable.map(({ instance, why }) => `${instance} ${why}`).join('; ')}.`) +
      (throttled === undefined ? '' : ` No browser is started: ${throttled}.`) +
      (throttled !== undefined || heldBack === 0
        ? ''
        : ` Waiting for their turn to start: ${heldBack} (START_CONCURRENCY).`) +
      (failed === undefined ? '' : ` Last failure: ${failed}`),
    {
      hint: [
        'Close a session of yours that is no longer needed, or try again later.',
        ...useAnother(refusal.elsewhere),
        ...(throttled === undefined ? ['Whoever runs pwpool can raise INSTANCES or LEASE_TIMEOUT.'] : []),
      ].join(' '),
      details: {
        pool,
        ...info,
        holders: held,
        ...(unavailable.length === 0 ? {} : { unavailable }),
        ...(throttled === undefined ? {} : { throttled }),
        ...(failed === undefined ? {} : { lastFailure: failed }),
      },
    },
  );
}

/** The waiting line is full (`QUEUE_LIMIT`). */
export function poolBusy({ info, pool, held, elsewhere }: Refusal<LineFullInfo>): PwpoolError {
  return new PwpoolError(
    'POOL_BUSY',
    `Pool '${pool}' is busy: ${info.counts.waiting} callers wait for an instance already, which is its QUEUE_LIMIT. Held: ${inWords(held)}.`,
    {
      hint: [
        'Try again later.',
        ...useAnother(elsewhere),
        'Whoever runs pwpool can raise INSTANCES or QUEUE_LIMIT.',
      ].join(' '),
      details: { pool, ...info, holders: held },
    },
  );
}

function inWords(held: ReturnType<typeof heldLeases>): string {
  const words = held.map(
    ({ instance, holder, heldMs }) => `instance ${instance} by ${holder} for ${heldMs} ms`,
  );
  return words.join('; ') || 'none';
}

/** A start that took too long, the wait for its turn included. */
export function notReadyInTime(
  { id, config }: Instance,
  timeoutMs: number,
  throttled: string | undefined,
): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${id}' of pool '${config.pool}' was not ready within ${timeoutMs} ms.` +
      (throttled === undefined ? '' : ` No browser is started: ${throttled}.`),
    {
      hint: 'Try again later. Whoever runs pwpool can raise START_TIMEOUT.',
      details: { pool: config.pool, instance: id, ...(throttled === undefined ? {} : { throttled }) },
    },
  );
}

/**
 * A loss, told with what its holder can do.
 * @param next what whoever asks the pool again will be told; `undefined` when that gets a browser
 */
export function lossToldOf(error: PwpoolError, next: PwpoolError | undefined): PwpoolError {
  const { code, message, details } = error;
  if (next === undefined) return new PwpoolError(code, message, { hint: CALL_AGAIN, details, cause: error });
  return new PwpoolError(code, message, {
    hint: `Its pages are lost, and its pool has no other browser. ${next.hint}`,
    details: { ...details, lastOfPool: true },
    cause: error,
  });
}

const CALL_AGAIN =
  'Its pages are lost. Call again, or in a program take a new lease: that gets another browser.';

export function crashedBeforeUse({ id, config }: Instance): PwpoolError {
  return new PwpoolError(
    'INSTANCE_CRASHED',
    `The browser of instance '${id}' of pool '${config.pool}' ended before it could be used.`,
    { hint: 'Call again: that gets another browser, or is told why there is none.' },
  );
}

/** A drain, restart or removal did not wait any longer for the holder. */
export function takenByForce({ id, config }: Instance, participle: string, timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'LEASE_REVOKED',
    `Instance '${id}' of pool '${config.pool}' is ${participle}, and its holder did not give it back within ${timeoutMs} ms.`,
    {
      hint: 'Call again, or in a program take a new lease.',
      details: { pool: config.pool, instance: id, timeoutMs },
    },
  );
}

/** The signal that a lease was to end on has aborted. */
export function endedBySignal({ instance, pool }: Lease, cause: unknown): PwpoolError {
  return new PwpoolError(
    'LEASE_REVOKED',
    `The lease of instance '${instance}' of pool '${pool}' has ended: its endOn signal was aborted.`,
    { hint: 'Take a new lease.', details: { pool, instance }, cause },
  );
}

/** Somebody took the pool, or one instance of it, out of service. */
export function outOfService(pool: string, elsewhere: readonly string[], instance?: string): PwpoolError {
  const what = instance === undefined ? `Pool '${pool}'` : `Instance '${instance}' of pool '${pool}'`;
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `${what} is out of service: it is drained and gives no new leases.`,
    {
      hint: [
        ...(instance === undefined
          ? useAnother(elsewhere)
          : ['Leave browser_instance out to get another one.']),
        'Only whoever runs pwpool can put it back into service.',
      ].join(' '),
      details: { pool, ...(instance === undefined ? {} : { instance }) },
    },
  );
}

/** The wording is a contract [000-validation-08]; what can be done is in the hint. */
export function noHealthyInstances(
  config: PoolConfig,
  instances: Iterable<Instance>,
  elsewhere: readonly string[],
): PwpoolError {
  const reasons = [...instances].map(({ id, health }) => ({ instance: id, reason: health.error }));
  const first = reasons.find(({ reason }) => reason !== null)?.reason;
  return new PwpoolError(
    'NO_HEALTHY_INSTANCES',
    config.isDefault
      ? `Default pool '${config.name}' has no healthy instances. Specify explicit pool or restart failed instances.`
      : `Pool '${config.name}' has no healthy instances.`,
    {
      hint: [
        ...useAnother(elsewhere),
        config.settings.autoRestart
          ? 'Try again in a minute: the pool then starts one more.'
          : 'Ask whoever runs pwpool to restart it: this pool starts no failed browser again (AUTO_RESTART=true would).',
        ...(first ? [`Why the first one failed: ${first}`] : []),
      ].join(' '),
      details: { pool: config.name, instances: reasons },
    },
  );
}

/** One instance failed and stays failed, while others of its pool are well. */
export function instanceFailed({ id, config, health }: Instance): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${id}' of pool '${config.pool}' has failed: ${health.error}`,
    {
      hint: 'Leave browser_instance out to get one that is well.',
      details: { pool: config.pool, instance: id, reason: health.error },
    },
  );
}

export function instanceNotFound(pool: string, wanted: string, instances: Iterable<Instance>): PwpoolError {
  const valid = [...instances].flatMap(({ id, config }) =>
    config.alias === null ? [id] : [id, config.alias],
  );
  return new PwpoolError('INSTANCE_NOT_FOUND', `Instance '${wanted}' not found in pool '${pool}'.`, {
    hint: `Use one of: ${valid.join(', ')}.`,
    details: { pool, instance: wanted, valid },
  });
}

/**
 * The wording is a contract [000-validation-06].
 * @param argument the one that the caller gave the name as
 */
export function poolNotFound(
  wanted: string,
  valid: readonly string[],
  argument: 'browser_pool' | 'pool_name',
): PwpoolError {
  return new PwpoolError(
    'POOL_NOT_FOUND',
    `Invalid pool name in ${argument}: there is no pool '${wanted}'.`,
    {
      hint:
        valid.length > 0
          ? `Use one of: ${valid.join(', ')}.`
          : 'No pool is open to you. Ask whoever runs pwpool.',
      details: { pool: wanted, valid },
    },
  );
}
