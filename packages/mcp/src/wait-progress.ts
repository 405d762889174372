import type { Clock, LeaseWait } from '@pwpool/core';
import type { CancelTimer } from '@pwpool/core/internal';

/** Milliseconds between two messages to a caller that waits for a browser. */
const INTERVAL_MS = 5_000;

/** Sends one progress notification of MCP. */
export type SendProgress = (params: { progress: number; total?: number; message: string }) => void;

/** Tells a caller that waits its place, how long it has waited and who holds what, until it has its browser. */
export function reportWait(wait: LeaseWait, clock: Clock, send: SendProgress): void {
  const since = clock.now();
  let progress = 0;
  let cancelTimer: CancelTimer = () => {};
  const report = () => {
    progress += 1;
    send({ progress, message: describe(wait, clock.now() - since) });
    cancelTimer = clock.after(INTERVAL_MS, report);
  };
  wait.over.addEventListener('abort', () => cancelTimer(), { once: true });
  report();
}

function describe(wait: LeaseWait, waitedMs: number): string {
  const wanted = wait.instance === undefined ? 'a browser' : `instance '${wait.instance}'`;
  const held = wait
    .holders()
    .map(({ instance, holder, heldMs }) => `instance ${instance} by ${holder} for ${seconds(heldMs)}`);
  const throttled = wait.throttled();
  return (
    `Waiting for ${wanted} of pool '${wait.pool}' for ${seconds(waitedMs)}, ${wait.position()} ahead. ` +
    `Held: ${held.join('; ') || 'none'}.${throttled === undefined ? '' : ` No browser is started: ${throttled}.`}`
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
