import { expect, it } from 'vitest';
import { startSite } from '../driver/embedded-fixture.js';
import { evaluate, realSession } from '../session/killable-session.js';

/** How long after the answer the browser is killed. */
const MOMENTS: Record<string, () => Promise<void>> = {
  'with the answer': async () => {},
  'a microtask later': () => Promise.resolve(),
  'when the checkpoint has begun': () => new Promise((resolve) => setImmediate(resolve)),
  'when the checkpoint may be over': async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  },
};

/** One round in `npm test`, all of them in `npm run test:faults`. */
const ROUNDS = [1, 2, 3, 4, 5];

for (const round of ROUNDS) {
  const tags = round === 1 ? ['one-strike'] : [];
  it(`a kill right behind an answer costs the session no page: it comes back on the answered URL, round ${round} [arch-session-02]`, {
    tags,
  }, async () => {
    await using site = await startSite();
    const { session, kill } = await realSession({ kills: Object.keys(MOMENTS).length });
    await session.callTool('browser_navigate', { url: `${site.origin}/login` });
    for (const [moment, wait] of Object.entries(MOMENTS)) {
      const url = `${site.origin}/page?${encodeURIComponent(moment)}`;
      await session.callTool('browser_navigate', { url });
      await wait();
      kill();
      await expect.poll(() => session.hasBrowser).toBe(false);
      const { text, restored } = await evaluate(session, '() => location.href');
      expect(text).toContain(url);
      expect(restored).toMatchObject({ after: 'crashed', restoredUrl: url });
    }
  });
}
