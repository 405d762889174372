/**
 * Windows of a shared server visit pages of their own while that server is killed (`kill -9`) at random moments, 50
 * times unless told. What counts is that no window is shown a page that is not its own, or not the one that it opened
 * last, and that nothing is left in the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { User, type Window } from './windows.js';

const [kills = 50, windows = 4] = process.argv.slice(2).map(Number);
const [SHORTEST_MS, LONGEST_MS] = [200, 4_000];

interface Seen {
  pages: number;
  lost: number;
  restored: number;
  other: string[];
  wrong: string[];
}

const pageOf = (title: string) => `data:text/html,<title>${title}</title><h1>${title}</h1>`;

/** A window's day: it opens a page and looks at it, and makes a call again that was lost. */
async function visit(window: Window, name: string, signal: AbortSignal): Promise<Seen> {
  const seen: Seen = { pages: 0, lost: 0, restored: 0, other: [], wrong: [] };
  const call = async (tool: string, args: Record<string, unknown>): Promise<string | undefined> => {
    const { text, code } = await window.call(tool, { sessionId: 's', ...args });
    if (text.includes('### Session restored')) seen.restored += 1;
    if (code === undefined) return text;
    if (code === 'INSTANCE_CRASHED') seen.lost += 1;
    else seen.other.push(`${tool}: ${text}`);
    return undefined;
  };
  for (let page = 0; !signal.aborted; page++) {
    const title = `${name}-${page}`;
    // Until it is there: what was lost may have happened, or not.
    while ((await call('browser_navigate', { url: pageOf(title) })) === undefined)
      if (signal.aborted) return seen;
    for (let look = 0; look < 3; look++) {
      const told = await call('browser_evaluate', { function: '() => document.title' });
      if (told === undefined) continue;
      seen.pages += 1;
      if (!told.includes(`"${title}"`)) seen.wrong.push(`${title}: ${told}`);
    }
  }
  return seen;
}

await using user = await User.create();
const settings = {
  _DEFAULT_INSTANCES: String(windows),
  _DEFAULT_IS_DEFAULT: 'true',
  _DEFAULT_ISOLATED: 'true',
  _DEFAULT_CONTEXTS_PER_BROWSER: String(windows),
  SHARED_LINGER: '1000',
};
const open = await Promise.all(Array.from({ length: windows }, () => user.open(settings)));
await Promise.all(open.map((window) => window.call('start_browser', { sessionId: 's' })));
const over = new AbortController();
const visits = open.map((window, index) => visit(window, `window${index}`, over.signal));
let killed = 0;
while (killed < kills) {
  await sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
  const pid = await user.serverProcess();
  if (pid === undefined) continue;
  process.kill(pid, 'SIGKILL');
  killed += 1;
  if (killed % 10 === 0) console.error(`${killed} kills`);
}
over.abort();
const seen = await Promise.all(visits);
// The next server sweeps up behind the one that was killed last.
for (const window of open)
  while ((await window.call('browser_snapshot', { sessionId: 's' })).code !== undefined);
await Promise.all(open.map(({ client }) => client.close()));
for (let wait = 0; wait < 100 && (await user.processes('')).length > 1; wait++) await sleep(200);
const sum = (of: (each: Seen) => number) => seen.reduce((total, each) => total + of(each), 0);
const wrong = seen.flatMap((each) => each.wrong);
const other = seen.flatMap((each) => each.other);
console.log(
  JSON.stringify(
    {
      kills: killed,
      windows,
      pages: sum(({ pages }) => pages),
      wrong: wrong.length,
      lostCalls: sum(({ lost }) => lost),
      restoredSessions: sum(({ restored }) => restored),
      otherErrors: other.length,
      processesLeft: (await user.processes('')).filter((pid) => pid !== process.pid).length,
      filesLeft: await user.leftovers(),
    },
    undefined,
    2,
  ),
);
for (const line of [...wrong, ...other].slice(0, 10)) console.log(line);
process.exitCode = wrong.length + other.length > 0 ? 1 : 0;
