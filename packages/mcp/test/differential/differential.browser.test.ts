// @module-tag at-length
import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DIFFERENCES_BETWEEN_SESSIONS,
  DIFFERENCES_TO_UPSTREAM,
  type IntendedDifference,
  LISTED_DIFFERENTLY,
} from './intended-differences.js';
import { normalise } from './normalise.js';
import { type Answer, Peer } from './peer.js';
import type { Scenario, ScenarioCall } from './scenario.js';
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
/** With two sessions that call at the same time: that of the calls that name none, and another one. */
let pwpool: Peer;
const SESSIONS = [undefined, 'alice'];
const met = new Set<string>();

/** Tools that work only with a person at the window, a debugger or Playwright's own ffmpeg. */
const NEVER_RIGHT = ['browser_resume', 'browser_annotate', 'browser_start_video'];

beforeAll(async () => {
  site = await startScenarioSite(SCENARIOS);
  [upstream, pwpool] = await Promise.all([Peer.upstream(site.origin), Peer.pwpool(site.origin)]);
  const client = pwpool.visitor();
  await client.call(['browser_tabs', { action: 'list' }]);
  await client.call(['start_browser', { sessionId: 'alice' }]);
  await client.call(['set_current_session', { sessionId: 'browser-1' }]);
});

afterAll(async () => {
  await Promise.all([upstream, pwpool].map((peer) => peer[Symbol.asyncDispose]()));
  await site[Symbol.asyncDispose]();
});

async function alone(peer: Peer, scenario: Scenario, sessionId?: string): Promise<PlacedAnswer[]> {
  const visitor = peer.visitor(sessionId);
  const answers: PlacedAnswer[] = [];
  for (const call of scenario.calls) answers.push(placed(peer, await visitor.call(call)));
  await visitor.call(ending(scenario));
  return answers;
}

/** The answers of both sessions, which make each call of theirs on one server at the same moment, unless `inTurn`. */
async function inPairs(peer: Peer, scenario: Scenario): Promise<PlacedAnswer[][]> {
  if (scenario.inTurn) {
    const all: PlacedAnswer[][] = [];
    for (const sessionId of SESSIONS) all.push(await alone(peer, scenario, sessionId));
    return all;
  }
  const visitors = SESSIONS.map((sessionId) => peer.visitor(sessionId));
  const answers: PlacedAnswer[][] = [];
  for (const call of scenario.calls)
    answers.push(await Promise.all(visitors.map(async (visitor) => placed(peer, await visitor.call(call)))));
  await Promise.all(visitors.map((visitor) => visitor.call(ending(scenario))));
  return SESSIONS.map((_, index) => answers.map((pair) => at(pair, index)));
}

/** What each scenario ends with: upstream starts a browser anew after `browser_close`, which takes a second. */
function ending({ leavesTraces }: Scenario): ScenarioCall {
  return leavesTraces ? ['browser_close'] : ['browser_tabs', { action: 'close' }];
}

function placed(peer: Peer, answer: Answer): PlacedAnswer {
  return { ...answer, directory: peer.directory, site: site.origin };
}

describe('the same calls through upstream and through pwpool [arch-upstream-01, arch-upstream-02]', {
  timeout: 180_000,
}, () => {
  it.each(SCENARIOS)('$name', async (scenario) => {
    const { calls } = scenario;
    const sides = [alone(upstream, scenario), inPairs(pwpool, scenario)] as const;
    // None of them goes on into the next scenario when another one has failed.
    await Promise.allSettled(sides);
    const [theirs, [ours = [], alice = []]] = await Promise.all(sides);
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
    const failures = ours.filter(({ isError }) => isError).map(({ text }) => text);
    for (const text of failures) {
      expect.soft(text).toMatch(/^### Error\n[A-Z_]+: /);
      expect.soft(text, 'an inner name, a log or a colour').not.toMatch(/browserBackend|Call log|\[\d+m/);
    }
    const beside = (_: unknown, index: number) => ({
      expected: normalise(at(ours, index)),
      received: normalise(at(alice, index)),
    });
    compare(
      calls.map(beside),
      DIFFERENCES_BETWEEN_SESSIONS,
      'alice (+) beside the session of a client that names none (-)',
    );
  });

  it('are calls of every tool, right and wrong', async () => {
    const { tools } = await upstream.client.listTools();
    const calls = SCENARIOS.flatMap((scenario) => scenario.calls);
    const called = (fails: boolean) =>
      new Set(calls.filter(([, , code]) => (code !== undefined) === fails).map(([tool]) => tool));
    const takesNothing = (tool: Tool) => Object.keys(tool.inputSchema.properties ?? {}).length === 0;
    const names = (found: readonly Tool[]) => found.map(({ name }) => name);
    expect(names(tools.filter(({ name }) => !called(false).has(name)))).toEqual(NEVER_RIGHT);
    expect(names(tools.filter((tool) => !takesNothing(tool) && !called(true).has(tool.name)))).toEqual([]);
  });

  it('are listed with the same descriptions and arguments, and the three targets', async () => {
    const targets = ['sessionId', 'browser_pool', 'browser_instance'];
    const { tools } = await pwpool.client.listTools();
    const listed = tools.map(({ name, description, inputSchema: { properties = {}, required = [] } }) => {
      const own = Object.entries(properties).filter(([key]) => !targets.includes(key));
      return { name, description, properties: Object.fromEntries(own), required };
    });
    for (const { name, description, inputSchema } of (await upstream.client.listTools()).tools) {
      const { properties = {}, required = [] } = inputSchema;
      // An argument with a default is optional, though upstream lists it as required.
      const needed = required.filter(
        (key) => (properties[key] as { default?: unknown }).default === undefined,
      );
      const theirs = { name, description, properties, required: needed };
      const same = isDeepStrictEqual(
        listed.find((tool) => tool.name === name),
        theirs,
      );
      expect.soft(same, name).toBe(LISTED_DIFFERENTLY[name] === undefined);
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
