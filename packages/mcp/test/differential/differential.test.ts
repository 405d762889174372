import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DIFFERENCES_BETWEEN_SESSIONS,
  DIFFERENCES_TO_UPSTREAM,
  type IntendedDifference,
} from './intended-differences.js';
import { normalise } from './normalise.js';
import { type Answer, Peer } from './peer.js';
import type { Scenario } from './scenario.js';
import { type ScenarioSite, startScenarioSite } from './scenario-site.js';
import { SCENARIOS } from './scenarios/index.js';
import {
  besideUpstream,
  type Comparison,
  type PlacedAnswer,
  transcript,
  withoutIntended,
} from './transcript.js';

let site: ScenarioSite;
let upstream: Peer;
/** pwpool with one client that names no session, and pwpool with two sessions that call at the same time. */
let single: Peer;
let shared: Peer;
const met = new Set<string>();

beforeAll(async () => {
  site = await startScenarioSite(SCENARIOS);
  [upstream, single, shared] = await Promise.all([
    Peer.upstream(site.origin),
    Peer.pwpool(site.origin),
    Peer.pwpool(site.origin),
  ]);
});

afterAll(async () => {
  await Promise.all([upstream, single, shared].map((peer) => peer[Symbol.asyncDispose]()));
  await site[Symbol.asyncDispose]();
});

async function alone(peer: Peer, { calls }: Scenario): Promise<PlacedAnswer[]> {
  const visitor = peer.visitor();
  const answers: PlacedAnswer[] = [];
  for (const call of calls) answers.push(placed(peer, await visitor.call(call)));
  await visitor.call(['browser_close']);
  return answers;
}

/** The answers of alice and of bob, who make each call of theirs on one server at the same moment. */
async function inPairs(peer: Peer, { calls }: Scenario): Promise<PlacedAnswer[][]> {
  const names = ['alice', 'bob'];
  for (const sessionId of names) await peer.visitor().call(['start_browser', { sessionId }]);
  const visitors = names.map((name) => peer.visitor(name));
  const answers: PlacedAnswer[][] = [];
  for (const call of calls)
    answers.push(await Promise.all(visitors.map(async (visitor) => placed(peer, await visitor.call(call)))));
  await peer.visitor().call(['close_all_sessions']);
  return names.map((_, index) => answers.map((pair) => at(pair, index)));
}

function placed(peer: Peer, answer: Answer): PlacedAnswer {
  return { ...answer, directory: peer.directory, site: site.origin };
}

describe('the same calls through upstream and through pwpool [arch-upstream-01, arch-upstream-02]', () => {
  it.each(SCENARIOS)('$name', async (scenario) => {
    const { calls } = scenario;
    const [theirs, ours, [alice = [], bob = []]] = await Promise.all([
      alone(upstream, scenario),
      alone(single, scenario),
      inPairs(shared, scenario),
    ]);
    const compare = (
      comparisons: readonly Comparison[],
      differences: readonly IntendedDifference[],
      message: string,
    ) => {
      const sides = comparisons.map((comparison, index) =>
        withoutIntended(comparison, at(calls, index)[0], differences, (id) => met.add(id)),
      );
      const expected = sides.map((side) => side.expected);
      const received = sides.map((side) => side.received);
      expect.soft(transcript(calls, received), message).toBe(transcript(calls, expected));
    };
    compare(
      calls.map((call, index) => besideUpstream(call, at(theirs, index), at(ours, index))),
      DIFFERENCES_TO_UPSTREAM,
      'pwpool (+) beside upstream (-)',
    );
    for (const [name, session] of Object.entries({ alice, bob })) {
      const beside = (_: unknown, index: number) => ({
        expected: normalise(at(ours, index)),
        received: normalise(at(session, index)),
      });
      compare(
        calls.map(beside),
        DIFFERENCES_BETWEEN_SESSIONS,
        `${name} (+), one of two sessions, beside a client that is alone (-)`,
      );
    }
  });

  it('lists no difference that is not there', () => {
    const listed = [...DIFFERENCES_TO_UPSTREAM, ...DIFFERENCES_BETWEEN_SESSIONS];
    const always = listed.filter(({ sometimes }) => !sometimes).map(({ id }) => id);
    expect(always.filter((id) => !met.has(id))).toEqual([]);
  });
});

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`No answer ${index}.`);
  return item;
}
