/**
 * What the lease queue costs, beside generic-pool, tarn and a bare FIFO in the same process.
 * README.md says what each figure means.
 *
 *   pnpm --filter pwpool-benchmarks lease-queue [--json]
 */
import { cpus } from 'node:os';
import { bare, type Cancelling, type Contender, generic, pwpool, tarn } from './contenders.js';
import { cancel, handOver, type Sample, type Workload, type WorkloadSize } from './workloads.js';

const LINE_LENGTHS = [10, 1_000, 100_000] as const;
const REPEATS = 7;
const HAND_OVERS = 100_000;
const CANCELS = 1_000;
const ENTRIES = 4;
const BUDGET_MS = 1_000;

interface Row {
  measure: string;
  library: string;
  waiters: number;
  nsPerOperation: number;
  operationsPerSecond: number;
  /** Cost per operation, relative to the shortest line. */
  growth: number;
  /** Operations of one run: fewer than asked for if the time budget ended it. */
  operations: number;
}

type Series = [measure: string, library: string, open: (waiters: number) => Promise<Workload>];

function sizeOf(waiters: number, operations: number): WorkloadSize {
  return { waiters, entries: ENTRIES, operations, budgetMs: BUDGET_MS };
}

function handOvers<H>(library: string, open: (entries: number) => Contender<H>): Series {
  const workload = (waiters: number) => {
    const contender = open(ENTRIES);
    return handOver(contender, sizeOf(waiters, HAND_OVERS), () => contender.acquire());
  };
  return ['hand-over', library, workload];
}

function cancels<H>(library: string, open: (entries: number) => Contender<H> & Cancelling): Series {
  const workload = (waiters: number) => {
    const contender = open(ENTRIES);
    return cancel(contender, sizeOf(waiters, CANCELS), () => contender.cancelEach());
  };
  return ['cancel', library, workload];
}

const SERIES: readonly Series[] = [
  handOvers('bare FIFO', bare),
  handOvers('pwpool', pwpool),
  handOvers('generic-pool', generic),
  handOvers('tarn', tarn),
  [
    'keyed hand-over',
    'pwpool',
    (waiters) => {
      const contender = pwpool(ENTRIES);
      return handOver(contender, sizeOf(waiters, HAND_OVERS), ({ key }) => contender.acquireKey(key));
    },
  ],
  cancels('bare FIFO', bare),
  cancels('pwpool', pwpool),
  cancels('tarn', tarn),
  [
    'cancel, one signal',
    'pwpool',
    (waiters) => {
      const contender = pwpool(ENTRIES);
      return cancel(contender, sizeOf(waiters, CANCELS), () => contender.cancelTogether());
    },
  ],
];

/** Two runs to warm up, then the sample of median cost per operation. */
async function measure(workload: Workload): Promise<Sample> {
  await workload.run();
  await workload.run();
  const samples: Sample[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    globalThis.gc?.(); // what was there before is not this run's cost
    samples.push(await workload.run());
  }
  await workload.close();
  const cost = ({ nanoseconds, operations }: Sample) => nanoseconds / operations;
  return samples.sort((a, b) => cost(a) - cost(b))[Math.floor(REPEATS / 2)] as Sample;
}

async function measureAll(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [measured, library, open] of SERIES) {
    let shortest: number | undefined;
    for (const waiters of LINE_LENGTHS) {
      process.stderr.write(`${measured}, ${library}, ${waiters} waiters\n`);
      const { nanoseconds, operations } = await measure(await open(waiters));
      const cost = nanoseconds / operations;
      shortest ??= cost;
      rows.push({
        measure: measured,
        library,
        waiters,
        nsPerOperation: Math.round(cost),
        operationsPerSecond: Math.round(1e9 / cost),
        growth: Number((cost / shortest).toFixed(2)),
        operations,
      });
    }
  }
  return rows;
}

function table(rows: readonly Row[]): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const head = ['measure', 'library', 'waiters', 'ns/op', 'ops/s', 'growth', 'ops in a run'];
  const lines = rows.map((row) => [
    row.measure,
    row.library,
    number(row.waiters),
    number(row.nsPerOperation),
    number(row.operationsPerSecond),
    `${row.growth.toFixed(2)}x`,
    number(row.operations),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return [head, ...lines].map((line) => line.map(pad).join('  ')).join('\n');
}

const rows = await measureAll();
const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
if (process.argv.includes('--json')) {
  console.log(
    JSON.stringify({ date: new Date().toISOString(), machine, repeats: REPEATS, rows }, undefined, 2),
  );
} else {
  console.log(`${machine}; median of ${REPEATS} runs\n\n${table(rows)}`);
}
