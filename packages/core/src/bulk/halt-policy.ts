import { PwpoolError } from '../errors.js';

/** When a run ends before its items do, in the form of GNU parallel's `--halt`. */
export interface HaltPolicy {
  /** `now` ends what runs, `soon` lets it finish. */
  readonly when: 'now' | 'soon';
  readonly of: 'fail' | 'success' | 'done';
  /** So many items, or so many percent of those that are over. */
  readonly threshold: number;
  readonly percent: boolean;
}

/** How many items of a run are over, by how they ended. */
export interface Counts {
  readonly done: number;
  readonly failed: number;
}

/** A share means little before so many items are over. */
const LEAST_FOR_SHARE = 3;

const FORM = /^(now|soon),(fail|success|done)=(\d+)(%?)$/;

/**
 * Reads `never`, `soon,fail=10`, `now,fail=20%`, `now,success=1` and the like; `undefined` for `never`.
 * @throws PwpoolError `INVALID_ARGUMENTS`
 */
export function parseHalt(text: string): HaltPolicy | undefined {
  if (text === 'never') return undefined;
  const [, when, of, number, percent] = FORM.exec(text) ?? [];
  const threshold = Number(number);
  if (!(threshold >= 1 && (percent === '' || threshold <= 100))) {
    throw new PwpoolError('INVALID_ARGUMENTS', `'${text}' is not a halt policy.`, {
      hint: 'Write never, or now or soon with fail, success or done: soon,fail=10 or now,fail=20% or now,success=1.',
    });
  }
  return {
    when: when as HaltPolicy['when'],
    of: of as HaltPolicy['of'],
    threshold,
    percent: percent === '%',
  };
}

/** Whether the run is to end. */
export function isDue({ of, threshold, percent }: HaltPolicy, { done, failed }: Counts): boolean {
  const over = done + failed;
  const count = { fail: failed, success: done, done: over }[of];
  if (!percent) return count >= threshold;
  return over >= LEAST_FOR_SHARE && count * 100 >= threshold * over;
}
