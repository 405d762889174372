import type { Clock } from '../clock.js';
import type { BrowserHandle } from '../driver/browser-driver.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { isAlive } from '../process-identity.js';
import { withDeadline } from '../waiting/deadline.js';

export interface ProbeOptions {
  clock: Clock;
  /** Milliseconds for each question. */
  timeoutMs: number;
  /** Ends the probe. */
  signal: AbortSignal;
  /** Whether nobody holds the instance, so that asking its pages disturbs no one. */
  isIdle: () => boolean;
  /** Whether there is cause to look more closely even while somebody holds it. */
  doubted: boolean;
}

/**
 * Process alive, then a round trip, then, while nobody holds the instance, a closer look; of a browser in doubt the part
 * of it that disturbs no holder. `null`: all is well.
 */
export async function findFault(handle: BrowserHandle, options: ProbeOptions): Promise<string | null> {
  const { clock, timeoutMs, signal, isIdle, doubted } = options;
  if (handle.processId !== null && !isAlive(handle.processId)) {
    return `The process ${handle.processId} has ended.`;
  }
  const onTimeout = () =>
    new PwpoolError('CALL_TIMEOUT', `No answer to the health check within ${timeoutMs} ms.`);
  const ask = (question: () => Promise<void>) =>
    withDeadline({ clock, timeoutMs, signals: [handle.lost, signal], onTimeout }, 'health check', question);
  let asking = false;
  try {
    await ask(() => handle.ping());
    if (doubted || isIdle()) await ask(() => handle.tryPage());
    asking = isIdle();
    if (asking) await ask(() => handle.inspect());
    return null;
  } catch (error) {
    // What a holder who came meanwhile does with the pages is no fault.
    return asking && !isIdle() ? null : reasonOf(error);
  }
}
