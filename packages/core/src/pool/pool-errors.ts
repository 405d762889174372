import type { PoolConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';
import type { Instance } from '../instance/instance.js';
import type { LeaseTimeoutInfo } from '../lease/lease-queue.js';
import type { Holder, Lease } from './lease.js';

/** Who holds what, since when and for how long. */
export function heldLeases(
  leases: Iterable<Lease>,
  now: number,
): { instance: string; holder: Holder; since: string; heldMs: number }[] {
  return [...leases].map(({ instance, holder, startedAt }) => ({
    instance,
    holder,
    since: new Date(startedAt).toISOString(),
    heldMs: now - startedAt,
  }));
}

/** The error of a wait that ran out of time: it tells who holds what, so that nobody has to guess. */
export function leaseTimedOut(facts: {
  info: LeaseTimeoutInfo;
  pool: string;
  leases: Iterable<Lease>;
  instances: Iterable<Instance>;
  now: number;
}): PwpoolError {
  const { info, pool, now } = facts;
  const holders = heldLeases(facts.leases, now);
  const wanted = info.key === undefined ? 'an instance' : `instance '${info.key}'`;
  const held = holders
    .map(({ instance, holder, heldMs }) => `${instance} by ${holder} for ${heldMs} ms`)
    .join('; ');
  const failed = [...facts.instances].find(({ state }) => state === 'failed')?.health.error ?? undefined;
  const { idle, leased, reserved, waiting } = info.counts;
  return new PwpoolError(
    'LEASE_TIMEOUT',
    `Waited ${info.waitedMs} ms for ${wanted} of pool '${pool}': ${leased} leased, ${idle} idle, ${reserved} out of ` +
      `circulation, ${waiting} more waiting. Held: ${held || 'none'}.` +
      (failed === undefined ? '' : ` Last failure: ${failed}`),
    {
      hint: 'Close a session that is no longer needed, raise INSTANCES or LEASE_TIMEOUT, or use another pool.',
      details: { pool, ...info, holders, ...(failed === undefined ? {} : { lastFailure: failed }) },
    },
  );
}

/** Seed 000, "No healthy instances in default pool": the wording is a contract. */
export function noHealthyInstances(config: PoolConfig, instances: Iterable<Instance>): PwpoolError {
  const reasons = [...instances].map(({ id, health }) => ({ instance: id, reason: health.error }));
  const first = reasons.find(({ reason }) => reason !== null)?.reason;
  return new PwpoolError(
    'NO_HEALTHY_INSTANCES',
    config.isDefault
      ? `Default pool '${config.name}' has no healthy instances. Specify explicit pool or restart failed instances.`
      : `Pool '${config.name}' has no healthy instances. Use another pool or restart failed instances.`,
    {
      ...(first ? { hint: `Why the first one failed: ${first}` } : {}),
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
      hint: 'Use another instance, or leave the instance out to get any that is well.',
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

/** Seed 000, "Invalid pool name in browser_pool": the wording is a contract. */
export function poolNotFound(wanted: string, valid: readonly string[]): PwpoolError {
  return new PwpoolError(
    'POOL_NOT_FOUND',
    `Invalid pool name in browser_pool: there is no pool '${wanted}'.`,
    {
      hint: `Use one of: ${valid.join(', ')}.`,
      details: { pool: wanted, valid },
    },
  );
}
