import { describe, expect, it } from 'vitest';
import { parseHalt } from '../../src/bulk/halt-policy.js';
import {
  type ItemTask,
  NoPlace,
  type Outcome,
  type RunItemsOptions,
  runItems,
} from '../../src/bulk/run-items.js';
import { PwpoolError } from '../../src/errors.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';

type Work = (task: ItemTask<number>) => Promise<string>;

/** A run of numbers whose outcomes are collected. */
function begin(
  items: Iterable<number> | AsyncIterable<number>,
  work: Work,
  options: Partial<RunItemsOptions<number, string>> = {},
) {
  const clock = new FakeClock();
  const outcomes: Outcome<number, string>[] = [];
  const disposed: number[] = [];
  let workers = 0;
  const newWorker = () => {
    const number = workers++;
    return { run: work, [Symbol.asyncDispose]: async () => void disposed.push(number) };
  };
  const report = runItems(items, newWorker, {
    ...{ clock, concurrency: 2, retries: 0 },
    ...options,
    onOutcome: (outcome, counts) => {
      outcomes.push(outcome);
      options.onOutcome?.(outcome, counts);
    },
  });
  report.catch(() => {});
  return { clock, outcomes, disposed, report };
}

/** Work that lasts until it is told to end. */
class Held {
  readonly #ends = new Map<number, PromiseWithResolve>();
  readonly begun: number[] = [];

  readonly work: Work = async ({ item, signal }) => {
    this.begun.push(item);
    await new Promise<void>((resolve, reject) => {
      this.#ends.set(item, { resolve, reject });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    return `did ${item}`;
  };

  async end(item: number): Promise<void> {
    this.#ends.get(item)?.resolve();
    await settle();
  }
}

interface PromiseWithResolve {
  resolve: () => void;
  reject: (error: unknown) => void;
}

const failing = new PwpoolError('ELEMENT_NOT_FOUND', 'no such thing');

describe('items', () => {
  it('run so many at once, each asked for when a worker is free', async () => {
    const held = new Held();
    let asked = 0;
    function* endless() {
      for (;;) yield ++asked;
    }
    const stop = new AbortController();
    const { report, outcomes, disposed } = begin(endless(), held.work, { stop: stop.signal });
    await settle();
    expect({ begun: held.begun, asked }).toEqual({ begun: [1, 2], asked: 2 });
    await held.end(2);
    expect(held.begun).toEqual([1, 2, 3]);
    stop.abort();
    await held.end(1);
    await held.end(3);
    expect(await report).toEqual({ done: 3, failed: 0, retries: 0, endedBy: 'stop' });
    expect(outcomes.map(({ item }) => item)).toEqual([2, 1, 3]);
    expect(disposed).toHaveLength(2);
  });

  it('are tried again after a pause, and fail with their last error', async () => {
    const attempts: [number, number, string | undefined][] = [];
    const work: Work = async ({ item, attempt }) => {
      if (item === 1 && attempt < 3) throw new Error('not yet');
      if (item === 2) throw failing;
      return 'done';
    };
    const { clock, report, outcomes } = begin([1, 2], work, {
      retries: 2,
      onAttempt: ({ item, attempt, error }) => attempts.push([item, attempt, error?.code]),
    });
    await clock.advance(249);
    expect(attempts).toHaveLength(2);
    await clock.advance(501);
    expect(await report).toEqual({ done: 1, failed: 1, retries: 4 });
    expect(outcomes.map(({ item, attempt, ok }) => [item, attempt, ok])).toEqual([
      [1, 3, true],
      [2, 3, false],
    ]);
    expect(attempts.filter(([item]) => item === 1).map(([, , code]) => code)).toEqual([
      'EXECUTION_ERROR',
      'EXECUTION_ERROR',
      undefined,
    ]);
  });

  it('that would fail again are not tried again', async () => {
    const work: Work = async () => {
      throw new PwpoolError('INVALID_ARGUMENTS', 'never');
    };
    const { report } = begin([1], work, { retries: 5 });
    expect(await report).toEqual({ done: 0, failed: 1, retries: 0 });
  });

  it('are told in their order, and do not run ahead without end [arch-bulk-07]', async () => {
    const held = new Held();
    const all = Array.from({ length: 100 }, (_, index) => index);
    const { report, outcomes } = begin(all, held.work, { ordered: true });
    await settle();
    for (let item = 1; item < 100; item++) await held.end(item);
    expect(outcomes).toEqual([]);
    expect(held.begun).toHaveLength(32);
    await held.end(0);
    expect(outcomes.map(({ item }) => item)).toEqual(all.slice(0, 32));
    for (let item = 32; item < 100; item++) await held.end(item);
    await report;
    expect(outcomes.map(({ item }) => item)).toEqual(all);
  });

  it.for([
    ['soon,fail=2', { done: 1, failed: 2, endedBy: 'halt' }],
    ['now,fail=2', { done: 0, failed: 2, endedBy: 'halt' }],
    ['never', { done: 1, failed: 3 }],
  ] as const)('with --halt %s, end as it says [arch-bulk-06]', async ([policy, expected]) => {
    const held = new Held();
    const work: Work = async (task) => {
      if (task.item === 0) return await held.work(task);
      throw failing;
    };
    const { report } = begin([0, 1, 2, 3], work, { halt: parseHalt(policy) });
    await settle();
    await held.end(0);
    expect(await report).toEqual({ retries: 0, ...expected });
  });

  it('that run when all is to end at once have no outcome', async () => {
    const held = new Held();
    const controller = new AbortController();
    const codes: (string | undefined)[] = [];
    const { report, outcomes } = begin([1, 2, 3], held.work, {
      signal: controller.signal,
      onAttempt: ({ error }) => codes.push(error?.code),
    });
    await settle();
    controller.abort(new PwpoolError('CANCELLED', 'Ended by SIGTERM.'));
    expect(await report).toEqual({ done: 0, failed: 0, retries: 0, endedBy: 'signal' });
    expect({ outcomes, codes }).toEqual({ outcomes: [], codes: ['CANCELLED', 'CANCELLED'] });
  });

  it('end when the input that the next one comes from stays silent', async () => {
    async function* silent() {
      yield 1;
      await new Promise(() => {});
    }
    const stop = new AbortController();
    const { report } = begin(silent(), async () => 'done', { stop: stop.signal });
    await settle();
    stop.abort();
    expect(await report).toEqual({ done: 1, failed: 0, retries: 0, endedBy: 'stop' });
  });

  it('have no outcome where there is no place to run: the run ends with the reason', async () => {
    const reason = new PwpoolError('NO_HEALTHY_INSTANCES', 'none');
    const work: Work = async () => {
      throw new NoPlace(reason);
    };
    const { clock, report, outcomes } = begin([1, 2, 3], work, { retries: 1 });
    await clock.advance(1_000);
    await expect(report).rejects.toBe(reason);
    expect(outcomes).toEqual([]);
  });

  it('end with the error of what they come from, or of who is told', async () => {
    function* broken() {
      yield 1;
      throw new Error('line 2');
    }
    await expect(begin(broken(), async () => 'done').report).rejects.toThrow('line 2');
    const onOutcome = () => {
      throw new Error('disk full');
    };
    await expect(begin([1, 2], async () => 'done', { onOutcome }).report).rejects.toThrow('disk full');
  });

  it.for([
    [{ concurrency: 0 }, 'concurrency'],
    [{ retries: 1.5 }, 'retries'],
  ] as const)('are refused %o', async ([options, name]) => {
    await expect(begin([], async () => '', options).report).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(name),
    });
  });
});

describe('a policy for halting', () => {
  it.for([
    ['soon,fail=10', { when: 'soon', of: 'fail', threshold: 10, percent: false }],
    ['now,success=1', { when: 'now', of: 'success', threshold: 1, percent: false }],
    ['now,fail=20%', { when: 'now', of: 'fail', threshold: 20, percent: true }],
  ] as const)('is %s', ([text, policy]) => {
    expect(parseHalt(text)).toEqual(policy);
  });

  it.for(['', 'fail=1', 'later,fail=1', 'now,fail=0', 'now,fail=101%', 'now,fail=x'])('is not %o', (text) => {
    expect(() => parseHalt(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
  });

  it('of a share waits for three items', async () => {
    const seen: number[] = [];
    const work: Work = async ({ item }) => {
      if (item % 2 === 0) throw failing;
      return 'done';
    };
    const onOutcome = ({ item }: { item: number }) => void seen.push(item);
    const { report } = begin([0, 2, 1, 3, 5], work, {
      concurrency: 1,
      halt: parseHalt('soon,fail=50%'),
      onOutcome,
    });
    expect(await report).toMatchObject({ done: 1, failed: 2, endedBy: 'halt' });
    expect(seen).toEqual([0, 2, 1]);
  });
});
