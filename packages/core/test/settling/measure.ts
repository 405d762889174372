/**
 * The corpus by hand: how long each answer took in proportion to upstream's, and whether any was wrong.
 *
 *   pnpm --filter pwpool-benchmarks settling [--repeat 10] [--load 4] [--only fetch] [--pairs 8] [--control]
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { BrowserPools, type ConfigInput } from '../../dist/index.js';
import { CORPUS } from './corpus/index.js';
import { CorpusRun, FIXED_WAIT, type Outcome, verdictOn } from './corpus-run.js';

const { values: options } = parseArgs({
  options: {
    repeat: { type: 'string', default: '1' },
    load: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    pairs: { type: 'string', default: '4' },
    control: { type: 'boolean', default: false },
  },
});

const rows = CORPUS.filter(({ name, untraceable }) => !untraceable && new RegExp(options.only).test(name));
const create = (input: ConfigInput) => BrowserPools.create(input);
const ratios = new Map(rows.map(({ name }) => [name, [] as number[]]));
const verdicts = { right: 0, wrong: 0, late: 0, 'no reference': 0 };

const busy = Array.from({ length: Number(options.load) }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
);
try {
  const underTest = options.control ? FIXED_WAIT : {};
  await using run = await CorpusRun.start(rows, Number(options.pairs), create, underTest);
  for (let turn = 0; turn < Number(options.repeat); turn++) {
    for (const outcome of await run.outcomes(rows)) judge(outcome);
  }
} finally {
  for (const process of busy) process.kill();
}
report();
process.exitCode = verdicts.wrong + verdicts.late > 0 ? 1 : 0;

function judge(outcome: Outcome): void {
  const { row, reference, settled } = outcome;
  ratios.get(row.name)?.push(settled.took / reference.took);
  const verdict = verdictOn(outcome);
  verdicts[verdict]++;
  if (verdict !== 'right') console.log(verdict.toUpperCase(), row.name, { reference, settled });
}

function report(): void {
  const sorted = [...ratios].map(([name, all]) => ({ name, all: all.toSorted((a, b) => a - b) }));
  const at = (all: readonly number[], share: number) => all[Math.floor((all.length - 1) * share)]?.toFixed(2);
  console.table(
    sorted.map(({ name, all }) => ({ name, median: at(all, 0.5), least: at(all, 0), most: at(all, 1) })),
  );
  const every = sorted.flatMap(({ all }) => all).toSorted((a, b) => a - b);
  console.log(
    `${rows.length} pages, ${options.repeat} times, median of all ratios ${at(every, 0.5)}:`,
    verdicts,
  );
}
