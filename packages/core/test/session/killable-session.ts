import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import type { Session } from '../../src/session/session.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { ownDirectories, textOf } from '../driver/embedded-fixture.js';

/** A session in a real browser, and what kills that, whichever it is by then. */
export async function realSession({ kills = 1, clock }: { kills?: number; clock?: Clock } = {}) {
  const { output } = await ownDirectories();
  // One for each kill, so that none has to wait for a restart.
  const pool = {
    instances: 1 + kills,
    lazy: true,
    autoRestart: false,
    isDefault: true,
    isolated: true,
    timeoutSettle: 0,
  };
  const pools = await BrowserPools.create(
    { outputDir: output, pools: { WEB: pool } },
    clock ? { clock } : {},
  );
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await pools.close();
  });
  const { session } = await sessions.start({ client: 'a' });
  const kill = () => {
    const used = pools.status().pools[0]?.instances.find(({ id }) => id === session.config.id);
    process.kill(used?.process_id ?? Number.NaN, 'SIGKILL');
  };
  return { session, kill };
}

export async function evaluate(session: Session, script: string) {
  const { result, restored } = await session.callTool('browser_evaluate', { function: script });
  return { text: textOf(result), restored };
}
