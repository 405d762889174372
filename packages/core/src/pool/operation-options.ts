import type { InstanceState } from '../instance/instance-state.js';
import { statusOf } from './pool-status.js';
import type { OperationPhase, Slot } from './slot.js';
import type { OperationName } from './slot-owner.js';

/** How far an operation on a pool has come with one of its instances. */
export type OperationStep = {
  operation: OperationName;
  pool: string;
  /** Numeric id. */
  instance: string;
  alias: string | null;
  /** As `browser_pool_status` tells it, at this moment. */
  status: InstanceState;
} & OperationPhase;

/** What of a pool an operation is about, and how long it waits for holders. */
export interface OperationOptions {
  /** Numeric id or alias; every instance if left out. */
  instance?: string | undefined;
  /** Milliseconds that holders have to give their instances back, before they are taken from them; default `LEASE_TIMEOUT`. */
  timeoutMs?: number | undefined;
  /** Told what becomes of each instance, and what is waited for. */
  onStep?: ((step: OperationStep) => void) | undefined;
}

/** The same for an operation on all of a pool. */
export type PoolOperationOptions = Omit<OperationOptions, 'instance'>;

/** How pools are closed. */
export interface CloseOptions {
  /** Milliseconds that holders have to give their leases back before they are taken from them. Default 0. */
  drainMs?: number | undefined;
  /** Told what becomes of each instance while holders are waited for. */
  onStep?: ((step: OperationStep) => void) | undefined;
}

/** Who follows an operation, and what it is; nobody does if there is no `onStep`. */
export function stepsOf(
  slot: Slot,
  operation: OperationName,
  onStep: ((step: OperationStep) => void) | undefined,
): ((phase: OperationPhase) => void) | undefined {
  if (!onStep) return undefined;
  return (phase) => {
    const { instance, id } = slot;
    const { pool, alias } = instance.config;
    onStep({ operation, pool, instance: id, alias, status: statusOf(instance), ...phase });
  };
}
