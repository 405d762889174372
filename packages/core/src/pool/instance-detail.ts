import { memoryOf, readProcessTable } from '../driver/process-tree.js';
import type { PoolContext } from './pool-context.js';
import type { Slot } from './slot.js';
import { type OwnerKind, whyUnavailable } from './slot-owner.js';

/** What the person who runs the pools is told of an instance, beside its status. */
export interface InstanceDetail {
  browser_pool: string;
  browser_instance: string;
  /** Who may touch it at the moment. */
  owner: OwnerKind;
  /** Who holds its lease: `session alice`, `call browser_click`. */
  holder: string | null;
  /** Why nobody can lease it although nobody holds it. */
  unavailable: string | null;
  /** Where its page is, when a browser runs. */
  url: string | null;
  /** When its browser started, ISO 8601. */
  started_at: string | null;
  /** Leases that its browser has served. */
  uses: number;
  /** How often its browser was replaced or started again. */
  restarts: number;
  /** What its browser takes: of one that several instances have, its share. Linux only. */
  memory_bytes: number | null;
  /** Why a browser of it was lost or did not start, the last time. */
  last_error: { at: string; message: string } | null;
}

/** Looks at the slots, and measures the memory of their browsers, of each process once. */
export async function instanceDetails(pool: PoolContext): Promise<InstanceDetail[]> {
  const table = readProcessTable();
  const measured = new Map<number, Promise<number | undefined>>();
  const memory = async ({ instance: { browser } }: Slot) => {
    if (!browser?.owned || browser.processId === null) return null;
    const measuring = measured.get(browser.processId) ?? memoryOf(browser.processId, table);
    measured.set(browser.processId, measuring);
    const bytes = await measuring;
    return bytes === undefined ? null : Math.round(bytes / browser.sharedBy);
  };
  return await Promise.all([...pool.slots].map(async (slot) => detail(pool, slot, await memory(slot))));
}

function detail(pool: PoolContext, slot: Slot, memoryBytes: number | null): InstanceDetail {
  const { id, instance, lease, owner, wear, starts, lastError } = slot;
  const { browser, context, startedAt } = instance;
  const page = browser?.currentPage ?? context?.pages()[0];
  return {
    browser_pool: pool.name,
    browser_instance: id,
    owner: owner.kind,
    holder: lease?.holder ?? null,
    unavailable: whyUnavailable(owner, pool.clock.now()) ?? null,
    url: page?.url() ?? null,
    started_at: startedAt === null ? null : iso(startedAt),
    uses: wear.uses,
    restarts: Math.max(0, starts - 1),
    memory_bytes: memoryBytes,
    last_error: lastError && { at: iso(lastError.at), message: lastError.message },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
