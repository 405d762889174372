import type { PoolContext } from './pool-context.js';

/** Resolves when an instance of the pool comes back into circulation, or when it is `deadline`, milliseconds since the epoch. */
export async function whenFreed(pool: PoolContext, deadline: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      cancelTimer();
      unsubscribe();
      resolve();
    };
    const cancelTimer = pool.clock.after(Math.max(0, deadline - pool.clock.now()), end);
    const unsubscribe = pool.events.on('instance-owner', (event) => {
      if (event.pool === pool.name && (event.to === 'queue' || event.to === 'nobody')) end();
    });
  });
}
