import { PwpoolError } from '../errors.js';

/** What to do after a request of which nobody knows whether it was carried out. */
export const UNKNOWN_EFFECT =
  'The call may or may not have taken effect: look at the page before you repeat it.';

/** A request whose connection was lost. `taken` is false when it was certainly not carried out. */
export function connectionLost(reason: string, taken: 'unknown' | false): PwpoolError {
  return new PwpoolError('INSTANCE_CRASHED', `The connection to the tool server was lost: ${reason}.`, {
    hint: taken ? UNKNOWN_EFFECT : 'The call did not take effect. Repeat it.',
    details: { taken },
  });
}

export function isConnectionLost(error: unknown): error is PwpoolError {
  return error instanceof PwpoolError && error.code === 'INSTANCE_CRASHED';
}
