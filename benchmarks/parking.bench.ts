/**
 * What a parked session costs when it is used again: 50 sessions take turns on 4 browsers.
 * README.md says what each figure means. Exits with 1 when a session comes back with anything but its own.
 *
 *   pnpm --filter pwpool-benchmarks parking [--json]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserPools, type Session, SessionManager } from '@pwpool/core';
import { quantile } from './figures.js';
import { type LoginSite, startLoginSite } from './login-site.js';

const SESSIONS = 50;
const INSTANCES = 4;
const AT_ONCE = 4;
const FRESH = 20;
const SEED = 3;
const CLIENT = 'benchmark';

/** What a page tells of itself, read within it. */
const READ =
  "async () => [await (await fetch('/user')).text(), localStorage.getItem('cart'), location.href].join(' | ')";

/** Milliseconds, by what was measured. */
type Samples = Record<'comeBackAlone' | 'comeBackTogether' | 'freshFull' | 'freshFree' | 'live', number[]>;

const LABELS: Record<keyof Samples, string> = {
  comeBackAlone: 'parked session comes back, one at a time',
  comeBackTogether: `parked session comes back, ${AT_ONCE} at a time`,
  freshFull: 'fresh session, pool full',
  freshFree: 'fresh session, instance free',
  live: 'call to a live session',
};

class Benchmark {
  readonly samples: Samples = {
    comeBackAlone: [],
    comeBackTogether: [],
    freshFull: [],
    freshFree: [],
    live: [],
  };
  /** What a session had that was not its own, or lacked. */
  readonly wrong: string[] = [];
  readonly #sessions: SessionManager;
  readonly #site: LoginSite;

  constructor(sessions: SessionManager, site: LoginSite) {
    this.#sessions = sessions;
    this.#site = site;
  }

  async run(): Promise<void> {
    const users: string[] = [];
    for (let number = 0; number < SESSIONS; number++) {
      const session = await this.#fresh(`user-${number}`, number < INSTANCES ? undefined : 'freshFull');
      await this.#logIn(session);
      users.push(session.id);
    }
    const random = randomNumbers(SEED);
    for (const user of shuffled(users, random)) {
      if (await this.#comeBack(user, 'comeBackAlone')) await this.#readLive(user);
    }
    const line = shuffled([...users, ...users], random).values();
    const takeTurns = async () => {
      for (const user of line) await this.#comeBack(user, 'comeBackTogether');
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    await this.#sessions.closeAll(CLIENT);
    for (let number = 0; number < FRESH; number++) {
      const session = await this.#fresh(`guest-${number}`, 'freshFree');
      await this.#sessions.close(CLIENT, session.id);
    }
  }

  /** A new session, opened at its page and read once: the work that a session's coming back saves its user. */
  async #fresh(user: string, kind: keyof Samples | undefined): Promise<Session> {
    const begin = performance.now();
    const { session } = await this.#sessions.start({ client: CLIENT, sessionId: user });
    await call(session, 'browser_navigate', { url: this.#urlOf(user) });
    this.#check(user, await read(session), `nobody |  | ${this.#urlOf(user)}`);
    if (kind) this.samples[kind].push(performance.now() - begin);
    return session;
  }

  async #logIn(session: Session): Promise<void> {
    await call(session, 'browser_navigate', { url: `${this.#site.origin}/login/${session.id}` });
    await call(session, 'browser_navigate', { url: this.#urlOf(session.id) });
  }

  /** @returns whether the session had been parked */
  async #comeBack(user: string, kind: keyof Samples): Promise<boolean> {
    const session = this.#sessions.get(CLIENT, user);
    const begin = performance.now();
    const answer = await read(session);
    const elapsed = performance.now() - begin;
    this.#check(user, answer, this.#stateOf(user));
    const parked = answer.restored?.after === 'parked';
    if (parked) this.samples[kind].push(elapsed);
    return parked;
  }

  async #readLive(user: string): Promise<void> {
    const session = this.#sessions.get(CLIENT, user);
    const begin = performance.now();
    const answer = await read(session);
    this.samples.live.push(performance.now() - begin);
    this.#check(user, answer, this.#stateOf(user));
    if (answer.restored) this.wrong.push(`${user} was parked though nobody waited`);
  }

  #check(user: string, { text, restored }: Answer, expected: string): void {
    if (text !== expected) this.wrong.push(`${user} has '${text}', not '${expected}'`);
    if (restored?.failed.length) this.wrong.push(`${user}: ${restored.failed.join(' ')}`);
  }

  #urlOf(user: string): string {
    return `${this.#site.origin}/account/${user}?tab=orders#${user}`;
  }

  #stateOf(user: string): string {
    return `${user} | cart of ${user} | ${this.#urlOf(user)}`;
  }
}

interface Answer {
  text: string;
  restored: Awaited<ReturnType<Session['callTool']>>['restored'];
}

async function read(session: Session): Promise<Answer> {
  const { text, restored } = await call(session, 'browser_evaluate', { function: READ });
  const result: unknown = JSON.parse(/^### Result\n(.*)$/m.exec(text)?.[1] ?? 'null');
  return { text: String(result), restored };
}

async function call(session: Session, tool: string, args: Record<string, unknown>): Promise<Answer> {
  const { result, restored } = await session.callTool(tool, args);
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (result.isError) throw new Error(`${tool} in ${session.id}: ${text}`);
  return { text, restored };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** The mulberry32 generator: the same numbers from 0 up to 1 for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function rowsOf(samples: Samples) {
  return (Object.keys(LABELS) as (keyof Samples)[]).map((kind) => {
    const at = (share: number) => Math.round(quantile(samples[kind], share));
    return {
      measure: LABELS[kind],
      samples: samples[kind].length,
      medianMs: at(0.5),
      p95Ms: at(0.95),
      maxMs: at(1),
    };
  });
}

async function measure() {
  const outputDir = await mkdtemp(join(tmpdir(), 'pwpool-parking-'));
  try {
    await using site = await startLoginSite();
    await using pools = await BrowserPools.create({
      outputDir,
      sessionPreempt: 1,
      // Upstream's pause after an action, 500 ms by default, would hide what is asked for.
      timeoutSettle: 0,
      pools: { SHARED: { instances: INSTANCES, isDefault: true, isolated: true } },
    });
    const benchmark = new Benchmark(new SessionManager(pools), site);
    await benchmark.run();
    return { rows: rowsOf(benchmark.samples), wrong: benchmark.wrong };
  } finally {
    await rm(outputDir, { recursive: true, force: true });
  }
}

const load = loadavg()[0]?.toFixed(1);
const { rows, wrong } = await measure();
const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${load} at the start`;
if (process.argv.includes('--json')) {
  const date = new Date().toISOString();
  console.log(
    JSON.stringify({ date, machine, sessions: SESSIONS, instances: INSTANCES, rows, wrong }, undefined, 2),
  );
} else {
  console.log(`${SESSIONS} sessions on ${INSTANCES} browsers; ${machine}`);
  console.table(rows);
  console.log(`came back with something wrong: ${wrong.length}`);
  for (const line of wrong) console.log(`  ${line}`);
}
process.exitCode = wrong.length === 0 ? 0 : 1;
