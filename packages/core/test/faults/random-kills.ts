/**
 * Kills of a session's browser at random moments within 500 ms after an answer: whether the session comes back on the page
 * of the answer, with the cookies that this had or a word on what is older. Exits with 1 where it does not.
 *
 *   pnpm --filter pwpool-benchmarks answered-kills [--kills 200] [--sessions 4]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BrowserPools, type Session, SessionManager } from '../../dist/index.js';
import { startCookieSite } from './fixtures/cookie-site.js';

const { values: options } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, sessions: { type: 'string', default: '4' } },
});
const kills = Number(options.kills);
const lanes = Number(options.sessions);

/** Milliseconds after an answer within which a browser is killed. */
const WINDOW_MS = 500;
/** Milliseconds for a killed browser to be missed. */
const MISSED_MS = 30_000;

const verdicts = { 'page and cookies': 0, 'page, and told which cookies are older': 0, wrong: 0 };
const visits = Array.from({ length: kills }, (_, index) => index + 1).values();

const outputDir = await mkdtemp(join(tmpdir(), 'pw-kills-'));
const site = await startCookieSite();
// One more for each kill, so that none has to wait for a restart.
const pool = {
  ...{ isDefault: true, isolated: true, lazy: true, autoRestart: false, timeout: 120_000 },
  instances: lanes + kills,
};
const pools = await BrowserPools.create({ outputDir, pools: { WEB: pool } });
const manager = new SessionManager(pools);
try {
  await Promise.all(Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(lane)));
} finally {
  await manager[Symbol.asyncDispose]();
  await pools.close();
  await site[Symbol.asyncDispose]();
  await rm(outputDir, { recursive: true, force: true, maxRetries: 5 });
}
console.table(verdicts);
process.exitCode = verdicts.wrong > 0 ? 1 : 0;

async function killAgainAndAgain(lane: number): Promise<void> {
  const { session } = await manager.start({ client: String(lane) });
  for (const visit of visits) {
    const url = `${site.origin}/${lane}?visit=${visit}`;
    await session.callTool('browser_navigate', { url });
    const moment = Math.random() * WINDOW_MS;
    await setTimeout(moment);
    await kill(session);
    const { result, restored } = await session.callTool('browser_snapshot', {});
    const shown = JSON.stringify(result.content);
    const isOnPage =
      restored?.restoredUrl === url &&
      restored.failed.length === 0 &&
      shown.includes(`- Page URL: ${url}\\n`);
    const hasCookies = shown.includes(`sent: header=${visit}; script=${visit}`);
    const isTold = restored?.notRestored.some((sentence) =>
      /^Cookies(: as of| and storage: not read)/.test(sentence),
    );
    if (isOnPage && hasCookies) verdicts['page and cookies'] += 1;
    else if (isOnPage && isTold) verdicts['page, and told which cookies are older'] += 1;
    else {
      verdicts.wrong += 1;
      console.log({ url, moment, restored, shown });
    }
  }
}

async function kill(session: Session): Promise<void> {
  const instances = pools.status().pools.flatMap((status) => status.instances);
  const { process_id: id } = instances.find((instance) => instance.id === session.config.id) ?? {};
  if (!id) throw new Error('The session has no browser to kill.');
  process.kill(id, 'SIGKILL');
  const missedBy = performance.now() + MISSED_MS;
  while (session.hasBrowser) {
    if (performance.now() > missedBy) throw new Error('The killed browser is not missed.');
    await setTimeout(5);
  }
}
