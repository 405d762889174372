import type { InstanceConfig } from '../config/model.js';
import { PwpoolError } from '../errors.js';

/** What is being closed for good, and takes nobody any more: `Pool 'WEB' is`. */
export function shuttingDown(whatIs: string): PwpoolError {
  return new PwpoolError('SHUTTING_DOWN', `${whatIs} shutting down.`, {
    hint: 'Use another pool if there is one, or try again when the server has been started again. Start your session anew.',
  });
}

export function closing({ pool, id }: InstanceConfig): PwpoolError {
  return shuttingDown(`Instance '${id}' of pool '${pool}' is`);
}

/** A start that waited for its turn until the instance was stopped. */
export function notStarted({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${id}' of pool '${pool}' was stopped before its start had its turn.`,
    { hint: 'Call again, or in a program take a new lease.', details: { pool, instance: id } },
  );
}

export function notRunning({ pool, id }: InstanceConfig, reason: string | null): PwpoolError {
  return new PwpoolError('BROWSER_NOT_READY', `Instance '${id}' of pool '${pool}' has no running browser.`, {
    hint: 'Call again, or in a program take a new lease: that starts the browser.',
    details: { pool, instance: id, reason },
  });
}

/** The holder closed the browser, and Playwright's objects went with it. */
export function closedByHolder({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The browser of instance '${id}' of pool '${pool}' was closed (browser_close).`,
    {
      hint: 'The next tool call, or page() in a program, starts it again.',
      details: { pool, instance: id },
    },
  );
}

export function notReopened({ pool, id }: InstanceConfig, timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The browser of instance '${id}' of pool '${pool}' was not started again within ${timeoutMs} ms.`,
    { hint: 'Call again: it may be there by then.', details: { pool, instance: id } },
  );
}

export function noTabs({ pool, id }: InstanceConfig): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `Instance '${id}' of pool '${pool}' has no tabs to give: its tools run in another process.`,
    { hint: 'Use a pool whose driver is embedded.', details: { pool, instance: id } },
  );
}

export function notOpened({ pool, id }: InstanceConfig, timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'BROWSER_NOT_READY',
    `The browser of instance '${id}' of pool '${pool}' opened no tab within ${timeoutMs} ms.`,
    {
      hint: 'Try again. Whoever runs pwpool can raise START_TIMEOUT.',
      details: { pool, instance: id },
    },
  );
}

export function notReset(timeoutMs: number): PwpoolError {
  return new PwpoolError('BROWSER_NOT_READY', `The browser was not reset within ${timeoutMs} ms.`, {
    hint: 'Call again: it is replaced by another one. Whoever runs pwpool can raise START_TIMEOUT.',
  });
}

export function notClosed(): PwpoolError {
  return new PwpoolError('CALL_TIMEOUT', 'The browser did not close in time.');
}
