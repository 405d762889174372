import type { PoolConfig } from '../config/model.js';
import { checkResolvedRules } from '../config/resolved-rules.js';
import { configInvalid } from '../config/violations.js';
import { PwpoolError } from '../errors.js';

/** What `INSTANCES` may be at most, too. */
const MOST = 1000;

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
