import type { CancelGroup, Contender } from './contenders.js';

/** One timed run: how many operations were done, in how many nanoseconds. */
export interface Sample {
  operations: number;
  nanoseconds: number;
}

/** A prepared workload. `run` can be repeated: the line is as long afterwards as before. */
export interface Workload {
  run(): Promise<Sample>;
  close(): Promise<void>;
}

export interface WorkloadSize {
  waiters: number;
  entries: number;
  /** Operations of one run. */
  operations: number;
  /** A run that takes longer stops early; its sample tells how many operations were done. */
  budgetMs: number;
}

/** Looking at the time after each cycle would be part of the figure. */
const CYCLES_BETWEEN_LOOKS = 64;

/** Waiters that are still in line when a contender is closed are rejected. That is no failure. */
function ignoreClosing(): void {}

/**
 * Hand-over with a line of constant length. One operation is a full cycle: a holder joins the end of the line, with a
 * deadline, and releases; the first in line is granted and resumes.
 */
export async function handOver<H>(
  contender: Contender<H>,
  size: WorkloadSize,
  rejoin: (held: H) => Promise<H>,
): Promise<Workload> {
  const resting: H[] = [];
  let todo = 0;
  let done = 0;
  let deadline = 0;
  let closing = false;
  let onEnd = () => {};

  const rest = (held: H): void => {
    resting.push(held);
    if (resting.length === size.entries) onEnd();
  };
  const onGrant = (held: H): void => {
    if (done % CYCLES_BETWEEN_LOOKS === 0 && performance.now() > deadline) todo = done;
    if (closing) contender.release(held);
    else if (done >= todo) rest(held);
    else {
      done++;
      rejoin(held).then(onGrant, ignoreClosing);
      contender.release(held);
    }
  };

  for (let entry = 0; entry < size.entries; entry++) resting.push(await contender.acquire());
  for (let waiter = 0; waiter < size.waiters; waiter++) {
    rejoin(resting[waiter % size.entries] as H).then(onGrant, ignoreClosing);
  }

  return {
    async run() {
      const ended = new Promise<void>((resolve) => {
        onEnd = resolve;
      });
      done = 0;
      todo = size.operations;
      const start = performance.now();
      deadline = start + size.budgetMs;
      for (const held of resting.splice(0)) onGrant(held);
      await ended;
      return { operations: done, nanoseconds: (performance.now() - start) * 1e6 };
    },
    async close() {
      closing = true;
      for (const held of resting.splice(0)) contender.release(held);
      await contender.close();
    },
  };
}

/**
 * Cancelling waiters that stand evenly spread over the line: `operations` of them at once, or all if fewer wait. One
 * operation ends when the caller has learnt of it. Filling the line up again is not timed.
 */
export async function cancel<H>(
  contender: Contender<H>,
  size: WorkloadSize,
  openGroup: () => CancelGroup,
): Promise<Workload> {
  const held: H[] = [];
  for (let entry = 0; entry < size.entries; entry++) held.push(await contender.acquire());

  const groupSize = Math.min(size.operations, size.waiters);
  const groups = Array.from({ length: size.waiters / groupSize }, () => ({
    group: openGroup(),
    left: [] as Promise<void>[],
  }));
  // A grant comes only after `close`, when the line drains.
  const join = (group: CancelGroup) =>
    group.join().then((granted) => contender.release(granted as H), ignoreClosing);
  // Dealt out in turn, so that the members of each group stand evenly spread.
  for (let waiter = 0; waiter < size.waiters; waiter++) {
    const dealt = groups[waiter % groups.length];
    dealt?.left.push(join(dealt.group));
  }
  let turn = 0;

  return {
    async run() {
      const sample = { operations: 0, nanoseconds: 0 };
      const deadline = performance.now() + size.budgetMs;
      while (sample.operations < size.operations && performance.now() < deadline) {
        const index = turn++ % groups.length;
        const leaving = groups[index];
        if (!leaving) break;
        const start = performance.now();
        leaving.group.cancel();
        await Promise.all(leaving.left);
        sample.nanoseconds += (performance.now() - start) * 1e6;
        sample.operations += groupSize;
        const group = openGroup();
        groups[index] = { group, left: leaving.left.map(() => join(group)) };
      }
      return sample;
    },
    async close() {
      for (const grant of held) contender.release(grant);
      await contender.close();
    },
  };
}
