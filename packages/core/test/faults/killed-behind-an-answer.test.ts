// @module-tag at-length
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { textOf } from '../driver/embedded-fixture.js';
import { startCookieSite } from './fixtures/cookie-site.js';
import { packedSessions } from './fixtures/packed-sessions.js';

/**
 * How many sessions share the browser that is killed, and how many milliseconds after the last of their answers: half of
 * the times within the first 50, while the state is being read. 200 sessions lose their browser in all.
 */
const ROUNDS = [
  { sessions: 2, moments: [0, 30] },
  { sessions: 8, moments: [0, 2, 60, 110, 160] },
  { sessions: 8, moments: [4, 8, 200, 240, 280] },
  { sessions: 8, moments: [12, 16, 20, 320, 360] },
  { sessions: 8, moments: [0, 25, 30, 400, 440] },
  { sessions: 8, moments: [35, 40, 45, 50, 500] },
];

for (const { sessions: count, moments } of ROUNDS) {
  it(`a kill behind an answer costs ${count} sessions neither page nor, untold, cookies: ${moments.join(', ')} ms later [arch-session-02, arch-session-05]`, {
    timeout: 300_000,
  }, async () => {
    await using site = await startCookieSite();
    const { sessions, kill } = await packedSessions(count, moments.length);
    for (const [visit, moment] of moments.entries()) {
      const pageOf = (session: number) => `${site.origin}/${session}?visit=${visit}`;
      await Promise.all(
        sessions.map((session, index) => session.callTool('browser_navigate', { url: pageOf(index) })),
      );
      if (moment > 0) await setTimeout(moment);
      await kill();
      // One after the other: a busy machine takes long to bring eight back at once.
      for (const [index, session] of sessions.entries()) {
        const { result, restored } = await session.callTool('browser_snapshot', {});
        const shown = textOf(result);
        expect(restored).toMatchObject({ after: 'crashed', restoredUrl: pageOf(index), failed: [] });
        expect(shown).toContain(`- Page URL: ${pageOf(index)}\n`);
        // What the page sent when it was opened again.
        const hasCookies = shown.includes(`sent: header=${visit}; script=${visit}`);
        const older = restored?.notRestored.find((sentence) =>
          /^Cookies(: as of| and storage: not read)/.test(sentence),
        );
        expect(hasCookies || older, shown).toBeTruthy();
      }
    }
  });
}
