import type { PoolConfig } from '../config/model.js';
import type { Instance } from '../instance/instance.js';
import type { InstanceState } from '../instance/instance-state.js';
import type { WaitingInfo } from '../lease/lease-queue.js';
import type { Slot } from './slot.js';
import { whyUnavailable } from './slot-owner.js';

/** The answer of `browser_pool_status`: field names and shapes are a contract [000-status-03]. */
export interface InstanceStatus {
  id: string;
  alias: string | null;
  /** Where the instance has another one than its pool. */
  description?: string;
  /** `stopped` is one that the next lease starts, or that is out of service; its last start has not failed. */
  status: InstanceState;
  leased: boolean;
  lease_duration_ms: number | null;
  /** ISO 8601. */
  lease_started_at: string | null;
  browser: string;
  headless: boolean;
  process_id: number | null;
  health_check: {
    /** ISO 8601; `null` before the first start. */
    last_check: string | null;
    responsive: boolean;
    /** What the last probe, start or crash showed; else why the instance is out of service or being seen to. */
    error: string | null;
  };
}

export interface PoolStatus {
  name: string;
  description: string;
  is_default: boolean;
  /** Present if several instances share a browser process: a crash of it hits so many. They have the same `process_id`. */
  contexts_per_browser?: number;
  total_instances: number;
  /** Instances whose browser runs and answers. */
  healthy_instances: number;
  leased_instances: number;
  /** Instances that a lease would get at once: not leased, and healthy or not running (`LAZY`), unless they failed to start. */
  available_instances: number;
  instances: InstanceStatus[];
}

export interface PoolsStatus {
  pools: PoolStatus[];
  summary: {
    total_pools: number;
    total_instances: number;
    healthy_instances: number;
    failed_instances: number;
    leased_instances: number;
    available_instances: number;
  };
}

/** One who waits for an instance. */
export interface WaitingCaller {
  /** Who it is, as for a lease: `session alice`, `call browser_click`, `script run`. */
  holder: string;
  /** The name of whose call it is; absent for whoever runs the server. */
  principal?: string;
  browser_pool: string;
  /** The id of the instance that it waits for; `null` if any of the pool will do. */
  browser_instance: string | null;
  /** ISO 8601. */
  waiting_since: string;
  waiting_ms: number;
}

export function waitingCaller(
  pool: string,
  { key, label, principal, since }: WaitingInfo,
  now: number,
): WaitingCaller {
  return {
    holder: label ?? 'library',
    ...(principal ? { principal: principal.name } : {}),
    browser_pool: pool,
    browser_instance: key ?? null,
    waiting_since: new Date(since).toISOString(),
    waiting_ms: now - since,
  };
}

/** What failed to start is `failed`, also where the next lease may try again. */
export function statusOf({ state, startFailed }: Instance): InstanceState {
  return state === 'stopped' && startFailed ? 'failed' : state;
}

/** Whether whoever gets the instance can count on a browser. */
export function mayServe(instance: Instance): boolean {
  const status = statusOf(instance);
  return status === 'healthy' || status === 'stopped';
}

export function instanceStatus(
  { instance, lease, owner }: Slot,
  descriptionOfPool: string,
  now: number,
): InstanceStatus {
  const leasedSince = lease?.startedAt;
  // That a browser starts is told by the status.
  const isAside = owner.kind === 'housekeeping' || owner.kind === 'nobody';
  const { id, health, config, browser } = instance;
  const { description } = config.settings;
  return {
    id,
    alias: config.alias,
    ...(description === descriptionOfPool ? {} : { description }),
    status: statusOf(instance),
    leased: leasedSince !== undefined,
    lease_duration_ms: leasedSince === undefined ? null : now - leasedSince,
    lease_started_at: leasedSince === undefined ? null : new Date(leasedSince).toISOString(),
    browser: config.settings.browser,
    headless: config.settings.headless,
    process_id: browser?.processId ?? null,
    health_check: {
      last_check: health.lastCheck === null ? null : new Date(health.lastCheck).toISOString(),
      responsive: health.responsive,
      error: health.error ?? (isAside ? whyUnavailable(owner, now) : undefined) ?? null,
    },
  };
}

export function poolStatus(
  { name, description, isDefault, template }: PoolConfig,
  instances: InstanceStatus[],
  available: number,
): PoolStatus {
  const { contextsPerBrowser } = template.settings;
  return {
    name,
    description,
    is_default: isDefault,
    ...(contextsPerBrowser > 1 ? { contexts_per_browser: contextsPerBrowser } : {}),
    total_instances: instances.length,
    healthy_instances: instances.filter(({ status }) => status === 'healthy').length,
    leased_instances: instances.filter(({ leased }) => leased).length,
    available_instances: available,
    instances,
  };
}

/** Adds the pools up. */
export function summarise(pools: PoolStatus[]): PoolsStatus {
  const sum = (count: (pool: PoolStatus) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  return {
    pools,
    summary: {
      total_pools: pools.length,
      total_instances: sum((pool) => pool.total_instances),
      healthy_instances: sum((pool) => pool.healthy_instances),
      failed_instances: sum((pool) => pool.instances.filter(({ status }) => status === 'failed').length),
      leased_instances: sum((pool) => pool.leased_instances),
      available_instances: sum((pool) => pool.available_instances),
    },
  };
}
