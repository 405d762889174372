/**
 * The states of an instance [arch-instance-01].
 *
 * - `stopped`: no browser yet, or none any more; a lease starts one
 * - `starting`: the browser is being started
 * - `healthy`: the browser answers
 * - `suspect`: it missed one probe
 * - `failed`: it crashed, did not start or does not answer
 * - `draining`: about to close, or closing; its holder may finish, nobody else gets it
 */
export type InstanceState = 'stopped' | 'starting' | 'healthy' | 'suspect' | 'failed' | 'draining';

/** Every legal transition, in one place. */
const TRANSITIONS: Record<InstanceState, readonly InstanceState[]> = {
  stopped: ['starting', 'draining'],
  starting: ['healthy', 'failed', 'draining'],
  healthy: ['suspect', 'failed', 'draining'],
  suspect: ['healthy', 'failed', 'draining'],
  failed: ['starting', 'stopped', 'draining'],
  draining: ['stopped'],
};

export function mayBecome(from: InstanceState, to: InstanceState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** What the last probe, start or crash showed. */
export interface HealthRecord {
  /** Milliseconds since the epoch; `null` before the first start. */
  lastCheck: number | null;
  responsive: boolean;
  error: string | null;
}
