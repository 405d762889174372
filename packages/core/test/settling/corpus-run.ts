import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright';
import type { ConfigInput, InstanceInput, PoolInput } from '../../src/config/config-input.js';
import type { ToolArguments, ToolResult } from '../../src/connection/tool-connection.js';
import type { Lease as PoolLease } from '../../src/pool/lease.js';
import { type CorpusSite, startCorpusSite } from './corpus-site.js';
import { isExpected, type PageState, stateAfter } from './page-state.js';
import type { Action, Row } from './row.js';

const CLICK: Action = ['browser_click', { target: '#go' }];

/** Upstream's wait. As nothing is set, pwpool settles. */
export const FIXED_WAIT: InstanceInput = { timeoutSettle: 500 };

/**
 * Both wait by the clock: on a machine too busy for that, upstream's answer is no reference either, and the row is taken
 * again, alone. What settles wrongly does so each time; `measure.ts` counts every time.
 */
const TURNS = 3;

type Lease = Pick<PoolLease, 'callTool' | 'context' | 'page'>;

/** Pools of the source, in tests, or of the built package, by hand. */
interface Pools {
  lease(options: { instance: string }): Promise<Lease>;
  close(): Promise<void>;
}

/** What one action was answered with. */
export interface Answer {
  readonly state: PageState;
  /** How many events an endless page had counted meanwhile. */
  readonly pulses: number;
  /** Milliseconds. */
  readonly took: number;
}

/** The same action on the same page, with upstream's fixed wait and as pwpool settles. */
export interface Outcome {
  readonly row: Row;
  readonly reference: Answer;
  readonly settled: Answer;
}

/**
 * What the comparison shows. Of a page that never rests, the events until its answer are compared: roughly, since the two
 * contexts do not run in step; an answer that waits for such a page to rest would come after many times as many.
 */
export function verdictOn({ row, reference, settled }: Outcome): 'right' | 'no reference' | 'wrong' | 'late' {
  if (!isExpected(reference.state, row)) return 'no reference';
  if (!isDeepStrictEqual(settled.state, reference.state)) return 'wrong';
  return settled.pulses > 2 * reference.pulses + 5 ? 'late' : 'right';
}

/** The verdict, and of what is not right the parts in which the two answers differ. */
export function accountOf(outcome: Outcome): object {
  const verdict = verdictOn(outcome);
  if (verdict === 'right') return { verdict };
  const { reference, settled } = outcome;
  const differs = (part: string) =>
    reference.state[part as keyof PageState] !== settled.state[part as keyof PageState];
  const told = ({ state, pulses, took }: Answer) => ({
    ...Object.fromEntries(
      Object.entries(state).filter(([part]) => verdict === 'no reference' || differs(part)),
    ),
    ...{ pulses, took },
  });
  return { verdict, upstream: told(reference), pwpool: told(settled) };
}

/**
 * One browser with pairs of contexts. The contexts of a pair differ in how they settle alone, and take each row at the
 * same time, so that whatever else the machine does comes upon both.
 */
export class CorpusRun implements AsyncDisposable {
  readonly #site: CorpusSite;
  readonly #pools: Pools;
  readonly #pairs: readonly (readonly [Lease, Lease])[];
  readonly #outputDir: string;

  private constructor(site: CorpusSite, pools: Pools, pairs: readonly [Lease, Lease][], outputDir: string) {
    this.#site = site;
    this.#pools = pools;
    this.#pairs = pairs;
    this.#outputDir = outputDir;
  }

  /** @param underTest how the answers are waited for that are compared with upstream's */
  static async start(
    rows: readonly Row[],
    pairs: number,
    create: (input: ConfigInput) => Promise<Pools>,
    underTest: InstanceInput = {},
  ): Promise<CorpusRun> {
    const outputDir = await mkdtemp(join(tmpdir(), 'pw-settling-'));
    const site = await startCorpusSite(rows);
    const instances = 2 * pairs;
    const pool: PoolInput = {
      ...{ isDefault: true, isolated: true, instances, contextsPerBrowser: instances },
      filePaths: 'absolute',
      // The pages keep the machine busy on purpose; nobody is to give one up for that.
      healthInterval: 86_400_000,
      instance: Object.fromEntries(
        Array.from({ length: instances }, (_, id) => [id, id % 2 ? underTest : FIXED_WAIT]),
      ),
    };
    const pools = await create({ outputDir, pools: { CORPUS: pool } });
    const lease = (id: number) => pools.lease({ instance: String(id) });
    const leased = await Promise.all(
      Array.from({ length: pairs }, (_, pair) => Promise.all([lease(2 * pair), lease(2 * pair + 1)])),
    );
    return new CorpusRun(site, pools, leased, outputDir);
  }

  /** What comes of each row, in their order. */
  async outcomes(rows: readonly Row[], pairs = this.#pairs): Promise<Outcome[]> {
    const outcomes = new Map<Row, Outcome>();
    const line = rows[Symbol.iterator]();
    const work = async ([fixed, adaptive]: readonly [Lease, Lease]) => {
      for (const row of line) {
        const [reference, settled] = await Promise.all([
          this.#answer(fixed, row),
          this.#answer(adaptive, row),
        ]);
        outcomes.set(row, { row, reference, settled });
      }
    };
    await Promise.all(pairs.map(work));
    return rows.flatMap((row) => outcomes.get(row) ?? []);
  }

  /** What comes of each row in the first turn in which it is right, or else in the last. */
  async judge(rows: readonly Row[]): Promise<Map<Row, Outcome>> {
    const outcomes = new Map<Row, Outcome>();
    let open = rows;
    for (let turn = 0; turn < TURNS && open.length > 0; turn++) {
      const latest = await this.outcomes(open, turn === 0 ? this.#pairs : this.#pairs.slice(0, 1));
      for (const outcome of latest) outcomes.set(outcome.row, outcome);
      open = latest.filter((outcome) => verdictOn(outcome) !== 'right').map(({ row }) => row);
    }
    return outcomes;
  }

  /** What a page tells after clicks on it: through the tools as they settle, and in a bare context of the same browser. */
  async inspect(
    row: Row,
    targets: readonly string[],
    report: string,
  ): Promise<{ plain: string; watched: string }> {
    const address = this.#site.addressOf(row);
    const [[, lease] = []] = this.#pairs;
    const bare = await lease?.context().browser()?.newContext();
    if (!lease || !bare) throw new Error('The run has no browser.');
    const page = await lease.page();
    const barePage = await bare.newPage();
    await Promise.all([page.goto(address), barePage.goto(address)]);
    for (const target of targets) {
      await lease.callTool('browser_click', { target });
      await barePage.click(target);
      // What a click sets going has come to rest by then, however busy the machine is.
      for (const each of [page, barePage]) await each.waitForFunction('typeof report === "function"');
    }
    const told = {
      plain: String(await barePage.evaluate(report)),
      watched: String(await page.evaluate(report)),
    };
    await bare.close();
    return told;
  }

  async #answer(lease: Lease, row: Row): Promise<Answer> {
    const address = this.#site.addressOf(row);
    // A pop-up of the row before may have come after its answer.
    if (lease.context().pages().length > 1) await replacePage(lease);
    const page = await lease.page();
    await page.goto(address);
    const call = (tool: string, args: ToolArguments = {}) =>
      lease.callTool(tool, below(address, args)).catch(errorAnswer);
    for (const action of row.first ?? []) await call(...action);
    if (row.endless) await page.evaluate('pulses = 0');
    if (row.crashes) page.once('request', () => void crash(page));
    const askedAt = performance.now();
    const answer = await call(...(row.action ?? CLICK));
    const took = performance.now() - askedAt;
    // A page whose call was given up may have been replaced.
    const pulses = row.endless ? Number(await page.evaluate('pulses').catch(() => 0)) : 0;
    const state = await stateAfter(answer, call);
    if (state.tabs || state.modals || state.error) await replacePage(lease);
    return { state, pulses, took };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pools.close();
    await this.#site[Symbol.asyncDispose]();
    await rm(this.#outputDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function errorAnswer(error: unknown): ToolResult {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return { content: [{ type: 'text', text: `### Error\n${error.code}: ${error.message}` }] };
}

/** Nobody answers where the renderer has ended: neither this command. */
async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.crash').catch(() => {});
}

/** Leaves one page, in which nothing waits for an answer. */
async function replacePage(lease: Lease): Promise<void> {
  const context = lease.context();
  const last = context.pages();
  await context.newPage();
  await Promise.all(last.map((page) => page.close()));
}

function below(address: string, args: ToolArguments): ToolArguments {
  const { url } = args;
  return typeof url === 'string' ? { ...args, url: new URL(url, address).href } : args;
}
