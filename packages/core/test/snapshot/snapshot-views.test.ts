import { beforeEach, describe, expect, it } from 'vitest';
import type { CallAnswer } from '../../src/calls/call-answer.js';
import { textOf } from '../../src/connection/answer-text.js';
import { snapshotFacts } from '../../src/snapshot/snapshot-answer.js';
import { SnapshotCache } from '../../src/snapshot/snapshot-cache.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import type { FakeCall } from '../../src/testing/fake-driver.js';
import { type CallsFixture, CLIENT, callsOver } from '../calls/calls-fixture.js';
import { errorIn } from '../pool/pool-fixture.js';

/** What upstream answers of a page with that content, whose references have that stamp. */
function answer(snapshot: string, { url = 'https://a.example/', title = 'A' } = {}) {
  const text = `### Page\n- Page URL: ${url}\n- Page Title: ${title}\n### Snapshot\n\`\`\`yaml\n${snapshot}\n\`\`\``;
  return { content: [{ type: 'text' as const, text }] };
}

const list = (stamp: string, items: number, extra = '') =>
  [
    `- list [ref=${stamp}e1]:`,
    ...Array.from({ length: items }, (_, i) => `  - listitem [ref=${stamp}e${i + 2}]: item ${i}${extra}`),
  ].join('\n');

const NAVIGATE = { tool: 'browser_navigate', args: { url: 'https://a.example' } };
const CLICK = { tool: 'browser_click', args: { target: 'kqbze2' } };

describe('what a caller is shown of a page', () => {
  let fixture: CallsFixture;
  /** What the pages show, by tool. */
  let shown: string;
  beforeEach(async () => {
    fixture = await callsOver();
    shown = list('kqbz', 2_000);
    fixture.driver.answer = (call: FakeCall) =>
      answer(shown, { url: String(call.args['url'] ?? 'https://a.example/') });
  });

  const text = (given: CallAnswer) => {
    if (!given.success) throw given.error;
    return textOf(given.result);
  };
  const facts = (given: CallAnswer) => {
    if (!given.success) throw given.error;
    return snapshotFacts(given.result);
  };
  const failure = (given: CallAnswer) => {
    if (given.success) throw new Error('It succeeded.');
    return given.error;
  };
  const snapshot = (args: Record<string, unknown>) => fixture.call({ args });

  it('is all of a small page, to the letter, and the first page of a large one [arch-answer-01]', async () => {
    const first = await fixture.call(NAVIGATE);
    expect(text(first).length).toBeLessThan(9 * 1024);
    expect(facts(first)).toMatchObject({ total_items: 2001, has_more: true });
    expect(text(first)).toMatch(
      /Next page: browser_snapshot \{"cache_key":"\w+","offset":\d+\}\n```yaml\n- list/,
    );
    shown = list('kqbz', 3);
    expect(text(await fixture.call({ ...NAVIGATE, args: { url: 'https://b.example/' } }))).toContain(
      `### Snapshot\n\`\`\`yaml\n${shown}\n\`\`\``,
    );
    expect(text(await fixture.call())).toBe(textOf(answer(shown)));
  });

  it('can be paged through without another snapshot, each node once [000-shared-02]', async () => {
    let last = facts(
      await fixture.call({ ...NAVIGATE, args: { ...NAVIGATE.args, flatten: true, limit: 300 } }),
    );
    const seen = [String(last.snapshot)];
    for (let offset = 300; last.has_more; offset += 300) {
      last = facts(await snapshot({ cache_key: last.cache_key, offset }));
      seen.push(String(last.snapshot));
    }
    expect(seen).toHaveLength(7);
    expect(seen.join('\n').match(/item \d+/g)).toHaveLength(2_000);
    expect(fixture.driver.calls).toHaveLength(1);
  });

  it('can be asked otherwise of the snapshot that was taken', async () => {
    const { cache_key } = facts(await fixture.call(NAVIGATE));
    const found = await snapshot({
      cache_key,
      flatten: true,
      jmespath_query: "[?text=='item 1999'].ref",
      output_format: 'json',
    });
    expect(facts(found)).toEqual({ total_items: 1, has_more: false, cache_key, snapshot: ['kqbze2001'] });
    const again = await fixture.call({ ...NAVIGATE, args: { ...NAVIGATE.args, cache_key, limit: 1 } });
    expect(facts(again)).toMatchObject({ cache_key, snapshot: '- list [ref=kqbze1]:' });
    expect(fixture.driver.calls).toHaveLength(1);
  });

  it('is nothing in silent mode', async () => {
    const answered = await fixture.call({ ...NAVIGATE, args: { ...NAVIGATE.args, silent_mode: true } });
    expect(text(answered)).toBe('### Page\n- Page URL: https://a.example\n- Page Title: A');
    expect(fixture.driver.calls[0]?.args).toEqual(NAVIGATE.args);
  });

  it('is what changed after an action, where that is shorter [arch-answer-03]', async () => {
    shown = list('kqbz', 20);
    await fixture.call(NAVIGATE);
    shown = shown.replace('item 7', 'item seven');
    expect(text(await fixture.call(CLICK))).toContain(
      'the page):\n```diff\n@ list [ref=kqbze1]\n- - listitem: item 7\n+ - listitem [ref=kqbze9]: item seven\n```',
    );
    expect(text(await fixture.call(CLICK))).toContain(
      '### Snapshot\n- Nothing changed since the last snapshot.',
    );
    // All of it, for whoever asks.
    expect(text(await fixture.call())).toContain(shown);
    shown = list('kqbz', 20, ' changed');
    expect(text(await fixture.call(CLICK))).toContain(shown);
    shown = list('wxyz', 20, ' changed');
    expect(text(await fixture.call(CLICK))).toContain(shown);
  });

  it('is what changed when that is asked for, and the page where there is nothing to compare with', async () => {
    shown = list('kqbz', 5);
    const first = await snapshot({ diff: true });
    expect(text(first)).toContain(
      '- There is no snapshot of this page to compare with: this is the page.\n```yaml\n- list',
    );
    shown = shown.replace('item 4', 'item four');
    // A part of the page is nothing to compare all of it with.
    await snapshot({ target: 'kqbze2' });
    expect(facts(await snapshot({ diff: true })).snapshot).toContain('+ - listitem [ref=kqbze6]: item four');
    expect(text(await snapshot({ diff: true }))).toContain('Nothing changed');
    await fixture.call({ ...NAVIGATE, args: { ...NAVIGATE.args, silent_mode: true } });
    expect(text(await snapshot({ diff: true }))).toContain('no snapshot of this page to compare with');
  });

  it('is read where the answer only links a file', async () => {
    const link =
      '### Ran Playwright code\n```js\nx\n```\n### Snapshot\n- [Snapshot](/server/page.yml)\n### Events\n- none';
    fixture.driver.answer = ({ tool }) =>
      tool === 'browser_snapshot' ? answer(shown) : { content: [{ type: 'text', text: link }] };
    shown = list('e', 2);
    expect(text(await fixture.call(NAVIGATE))).toBe(
      link.replace('- [Snapshot](/server/page.yml)', () => `\`\`\`yaml\n${shown}\n\`\`\``),
    );
  });

  it('ends five minutes after the last use [000-shared-02]', async () => {
    const { cache_key } = facts(await fixture.call(NAVIGATE));
    for (let count = 0; count < 3; count++) {
      await fixture.clock.advance(4 * 60_000);
      expect(facts(await snapshot({ cache_key, limit: 1 }))).toMatchObject({ cache_key });
    }
    await fixture.clock.advance(5 * 60_000);
    const error = failure(await snapshot({ cache_key }));
    expect(error.code).toBe('SNAPSHOT_EXPIRED');
    expect(error.hint).toContain('Take browser_snapshot again');
  });

  it('is nobody else’s [arch-answer-05]', async () => {
    await fixture.sessions.start({ client: CLIENT.id, sessionId: 'alice' });
    await fixture.sessions.start({ client: CLIENT.id, sessionId: 'bob' });
    const of = (sessionId: string, args: Record<string, unknown>) =>
      fixture.call({ args, target: { sessionId } });
    const { cache_key } = facts(await of('alice', {}));
    expect(failure(await of('bob', { cache_key })).message).toBe(
      `The snapshot '${cache_key}' is not known, or no longer kept.`,
    );
    expect(
      failure(await fixture.call({ client: { id: 'b' }, target: { pool: 'SIDE' }, args: { cache_key } }))
        .code,
    ).toBe('SNAPSHOT_EXPIRED');
    expect(facts(await of('alice', { cache_key }))).toMatchObject({ cache_key });
  });

  it('is refused once its page is left [arch-answer-05]', async () => {
    const { cache_key } = facts(await fixture.call(NAVIGATE));
    shown = list('wxyz', 2);
    await fixture.call({ ...NAVIGATE, args: { url: 'https://b.example/', silent_mode: true } });
    expect(failure(await snapshot({ cache_key })).message).toBe(
      `The snapshot '${cache_key}' is of a page that is no longer shown.`,
    );
  });

  it('is refused once its page is left also where references bear no stamp', async () => {
    shown = list('', 2_000);
    const { cache_key } = facts(await fixture.call(NAVIGATE));
    await fixture.call({ ...NAVIGATE, args: { url: 'https://b.example/', silent_mode: true } });
    expect(failure(await snapshot({ cache_key })).code).toBe('SNAPSHOT_EXPIRED');
  });

  it('can be paged on from a call that reaches another instance [000-bulk-05]', async () => {
    const at = (instance: string) => ({ target: { pool: 'SIDE', instance } });
    const commands = [{ tool: 'browser_navigate', args: () => ({ ...NAVIGATE.args, limit: 10 }) }];
    const { answers } = await fixture.calls.runAll({
      client: CLIENT,
      commands,
      stopOnError: true,
      what: 'bulk',
      ...at('0'),
    });
    const [first] = answers;
    const { cache_key } = first ? facts(first) : {};
    expect(facts(await fixture.call({ args: { cache_key, offset: 10 }, ...at('1') }))).toMatchObject({
      total_items: 2001,
      cache_key,
    });
  });

  it.each([
    [{ limit: 0 }, /'limit' must be a whole number from 1 up/],
    [{ limit: 1.5 }, /'limit' must be/],
    [{ offset: -1 }, /'offset' must be a whole number from 0 up/],
    [{ output_format: 'xml' }, /'output_format'/],
    [{ jmespath_query: '[?' }, /'jmespath_query' is not a JMESPath expression: .*EOF/],
    [{ jmespath_query: 'size(@)' }, /there is no function size\(\)/],
    [{ silent_mode: true, limit: 5 }, /'silent_mode' and 'limit' contradict each other/],
    [{ diff: true, flatten: true }, /'diff' and 'flatten' contradict/],
    [{ diff: true, target: 'kqbze1' }, /'diff' and 'target' contradict/],
    [{ cache_key: 'x', depth: 3 }, /'cache_key' and 'depth' contradict/],
    [{ filename: 'a.yml', flatten: true }, /'filename' and 'flatten' contradict/],
  ])('refuses %j before anything runs [arch-answer-05]', async (args, message) => {
    const error = failure(await snapshot(args));
    expect(error.code).toBe('INVALID_ARGUMENTS');
    expect(error.message).toMatch(message);
    expect(error.hint).toBeDefined();
    expect(fixture.driver.calls).toEqual([]);
  });

  it('refuses an offset beyond the end, and another address than the snapshot’s', async () => {
    const { cache_key } = facts(await fixture.call(NAVIGATE));
    expect(failure(await snapshot({ cache_key, offset: 2001 })).hint).toBe('Use an offset from 0 to 2000.');
    const elsewhere = { tool: 'browser_navigate', args: { url: 'https://b.example/', cache_key } };
    expect(failure(await fixture.call(elsewhere)).message).toContain(
      'is of https://a.example, not of the url',
    );
    expect(fixture.driver.calls).toHaveLength(1);
  });
});

describe('the snapshots that are kept', () => {
  it('are bounded: those go that were used longest ago', () => {
    const cache = new SnapshotCache(new FakeClock(), { capacity: 25 });
    const view = { flatten: false, query: undefined, format: 'yaml' as const, limit: undefined };
    const add = (holder: string) =>
      cache.add(holder, { text: 'ten chars.', addresses: [], stamp: undefined, view }, true).key;
    const [ada, bob] = [add('ada'), add('bob')];
    cache.use('ada', ada);
    add('eve');
    expect(cache.use('ada', ada).key).toBe(ada);
    expect(errorIn(() => cache.use('bob', bob)).code).toBe('SNAPSHOT_EXPIRED');
    // One that was never told of goes with the next.
    add('eve');
    expect(cache.use('ada', ada).key).toBe(ada);
  });
});
