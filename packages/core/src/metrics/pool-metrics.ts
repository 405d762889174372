import { PwpoolError } from '../errors.js';
import type { BrowserPools } from '../pool/browser-pools.js';
import type { Unsubscribe } from '../pool/emitter.js';
import { Histogram, type HistogramFigures } from './histogram.js';

/** Counts by name: an error code, a cause. */
export type Counts = Readonly<Record<string, number>>;

/** The figures of one pool since its metrics were attached. Times are in milliseconds. */
export interface PoolFigures {
  pool: string;
  leasesGranted: number;
  /** By error code. */
  leasesRefused: Counts;
  /** Taken back from their holders, by error code. */
  leasesRevoked: Counts;
  leasesLeaked: number;
  leaseWait: HistogramFigures;
  leaseHeld: HistogramFigures;
  start: HistogramFigures;
  startFailures: number;
  restarts: number;
  givenUp: number;
  /** Browsers that were lost, by cause. */
  losses: Counts;
  /** Browsers that were replaced between leases, by cause. */
  recycled: Counts;
  /** By tool; failures by error code, those that the tool itself answered as `EXECUTION_ERROR`. */
  calls: Readonly<Record<string, { time: HistogramFigures; failures: Counts }>>;
}

/**
 * Counts what the pools do. Whoever wants the figures attaches one and disposes of it; pools that nobody watches count
 * nothing.
 *
 * @example
 * using metrics = new PoolMetrics(pools);
 * // … later
 * console.log(metrics.figures());
 */
export class PoolMetrics implements Disposable {
  readonly #pools = new Map<string, Figures>();
  readonly #unsubscribe: readonly Unsubscribe[];

  constructor(pools: Pick<BrowserPools, 'on'>) {
    const of = (pool: string) => this.#figuresOf(pool);
    this.#unsubscribe = [
      pools.on('lease-granted', ({ pool, waitedMs }) => {
        of(pool).leasesGranted += 1;
        of(pool).leaseWait.record(waitedMs);
      }),
      pools.on('lease-refused', ({ pool, error }) => of(pool).leasesRefused.add(codeOf(error))),
      pools.on('lease-ended', ({ pool, heldMs, error }) => {
        of(pool).leaseHeld.record(heldMs);
        if (error) of(pool).leasesRevoked.add(error.code);
      }),
      pools.on('lease-leaked', ({ pool }) => {
        of(pool).leasesLeaked += 1;
      }),
      pools.on('instance-started', ({ pool, elapsedMs }) => of(pool).start.record(elapsedMs)),
      pools.on('instance-start-failed', ({ pool }) => {
        of(pool).startFailures += 1;
      }),
      pools.on('instance-restarting', ({ pool }) => {
        of(pool).restarts += 1;
      }),
      pools.on('instance-given-up', ({ pool }) => {
        of(pool).givenUp += 1;
      }),
      pools.on('instance-lost', ({ pool, cause }) => of(pool).losses.add(cause)),
      pools.on('instance-recycled', ({ pool, cause }) => of(pool).recycled.add(cause)),
      pools.on('tool-called', ({ pool, tool, elapsedMs, error, isError }) => {
        const call = of(pool).callsOf(tool);
        call.time.record(elapsedMs);
        if (error !== undefined) call.failures.add(codeOf(error));
        else if (isError) call.failures.add('EXECUTION_ERROR');
      }),
    ];
  }

  /** The figures so far, as plain JSON. */
  figures(): PoolFigures[] {
    return [...this.#pools].map(([pool, figures]) => ({
      pool,
      leasesGranted: figures.leasesGranted,
      leasesRefused: figures.leasesRefused.counts(),
      leasesRevoked: figures.leasesRevoked.counts(),
      leasesLeaked: figures.leasesLeaked,
      leaseWait: figures.leaseWait.figures(),
      leaseHeld: figures.leaseHeld.figures(),
      start: figures.start.figures(),
      startFailures: figures.startFailures,
      restarts: figures.restarts,
      givenUp: figures.givenUp,
      losses: figures.losses.counts(),
      recycled: figures.recycled.counts(),
      calls: Object.fromEntries(
        [...figures.calls].map(([tool, { time, failures }]) => [
          tool,
          { time: time.figures(), failures: failures.counts() },
        ]),
      ),
    }));
  }

  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #figuresOf(pool: string): Figures {
    const figures = this.#pools.get(pool) ?? new Figures();
    this.#pools.set(pool, figures);
    return figures;
  }
}

class Figures {
  leasesGranted = 0;
  leasesLeaked = 0;
  startFailures = 0;
  restarts = 0;
  givenUp = 0;
  readonly leasesRefused = new Tally();
  readonly leasesRevoked = new Tally();
  readonly losses = new Tally();
  readonly recycled = new Tally();
  readonly leaseWait = new Histogram();
  readonly leaseHeld = new Histogram();
  readonly start = new Histogram();
  readonly calls = new Map<string, { time: Histogram; failures: Tally }>();

  callsOf(tool: string): { time: Histogram; failures: Tally } {
    const calls = this.calls.get(tool) ?? { time: new Histogram(), failures: new Tally() };
    this.calls.set(tool, calls);
    return calls;
  }
}

class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  counts(): Counts {
    return Object.fromEntries(this.#counts);
  }
}

function codeOf(error: unknown): string {
  return error instanceof PwpoolError ? error.code : 'UNKNOWN';
}
