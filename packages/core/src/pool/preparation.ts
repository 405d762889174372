import type { InstanceSettings } from '../config/model.js';
import type { Grant } from '../lease/grant.js';
import type { LeaseOptions } from './lease-options.js';
import type { Slot } from './slot.js';

/**
 * Waits until the browser is there and as its next holder may find it: started, and clean where `RESET` asks for it.
 * Nothing passes from one principal to another, whatever `RESET` says and both keep.
 */
export async function prepare(
  slot: Slot,
  grant: Grant,
  { keep = false, headless, principal }: Pick<LeaseOptions, 'keep' | 'headless' | 'principal'>,
): Promise<void> {
  const { instance } = slot;
  const { settings } = instance.config;
  if (headless !== undefined && headless !== settings.headless) {
    await relaunch(slot, headless);
    return;
  }
  const begun = slot.begun?.grant === grant ? slot.begun.started : undefined;
  const isNew = instance.startedAt === null || begun !== undefined;
  await (begun ?? instance.start());
  if (isNew) slot.used = false;
  else if (slot.used && (cleansAfter(keep, settings.reset) || slot.usedBy !== principal?.name))
    await clean(slot);
}

/**
 * Whether a holder leaves a clean browser (`RESET`, [arch-reset-02]), and, of one that was used, wants it clean.
 *
 * With `session` nothing passes into or out of a session or a lease of the library, while leases that keep the page,
 * such as those of one-shot calls, find it as the last one of their kind left it.
 */
export function cleansAfter(keep: boolean, mode: InstanceSettings['reset']): boolean {
  return mode === 'lease' || (mode === 'session' && !keep);
}

export async function clean(slot: Slot): Promise<void> {
  await slot.instance.reset();
  slot.used = false;
}

/** Whether the browser was relaunched for its holder. */
export function isRelaunched({ instance }: Slot): boolean {
  return instance.config !== instance.configured;
}

/** Waits for what was begun for a holder. A mode that was this holder's alone ends with that. */
export async function asConfigured(slot: Slot, begun: Promise<void>): Promise<void> {
  const [outcome] = await Promise.allSettled([begun]);
  if (isRelaunched(slot)) await relaunch(slot, undefined);
  else if (outcome.status === 'rejected') throw outcome.reason;
}

async function relaunch(slot: Slot, headless: boolean | undefined): Promise<void> {
  const { instance } = slot;
  instance.browser?.retire();
  // Nobody can do more about a browser that does not close properly than to replace it.
  await instance.stop().catch(() => {});
  instance.runHeadless(headless);
  await instance.start();
  slot.used = false;
}
