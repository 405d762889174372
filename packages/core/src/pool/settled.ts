/** Waits for all, and throws what the first that failed threw. */
export async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(work)) if (each.status === 'rejected') throw each.reason;
}
