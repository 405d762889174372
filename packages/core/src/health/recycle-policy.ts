import type { PoolSettings } from '../config/model.js';

const MEGABYTE = 1024 * 1024;

/** What a jitter of 1 would take off the age limit. */
const AGE_JITTER = 0.1;

/** What a browser has behind it. */
export interface BrowserLife {
  /** How many leases it has served. */
  uses: number;
  /** When it was started, milliseconds since the epoch. */
  startedAt: number;
  /** In [0, 1), drawn once for each browser. */
  jitter: number;
  /** Its memory, or its share of a browser that several instances have; `undefined` where that is not known. */
  memoryBytes: number | undefined;
}

/** `undefined` is no limit. */
export type RecycleLimits = Pick<PoolSettings, 'maxUses' | 'maxAge' | 'maxMemoryMb'>;

export interface RecycleReason {
  cause: 'uses' | 'age' | 'memory';
  /** For people, with the instance as its subject: "has served 100 leases (MAX_USES)". */
  text: string;
}

/**
 * Why a browser is to be replaced by a new one before the next lease; `undefined`: it stays.
 *
 * The jitter takes up to a tenth off `MAX_AGE`, so that browsers that were started together are not replaced together.
 */
export function decideRecycle(
  life: BrowserLife,
  limits: RecycleLimits,
  now: number,
): RecycleReason | undefined {
  const { maxUses, maxAge, maxMemoryMb } = limits;
  if (maxUses !== undefined && life.uses >= maxUses) {
    return {
      cause: 'uses',
      text: `has served ${life.uses} ${life.uses === 1 ? 'lease' : 'leases'} (MAX_USES)`,
    };
  }
  const age = now - life.startedAt;
  if (maxAge !== undefined && age >= maxAge * (1 - AGE_JITTER * life.jitter)) {
    return { cause: 'age', text: `has run for ${Math.floor(age / 1000)} s (MAX_AGE)` };
  }
  if (
    maxMemoryMb !== undefined &&
    life.memoryBytes !== undefined &&
    life.memoryBytes >= maxMemoryMb * MEGABYTE
  ) {
    return { cause: 'memory', text: `takes ${Math.floor(life.memoryBytes / MEGABYTE)} MB (MAX_MEMORY_MB)` };
  }
  return undefined;
}
