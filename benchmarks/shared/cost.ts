/**
 * What the end of a window costs: milliseconds until `initialize` is answered while the server runs, and of a call,
 * beside a server of the window's own over stdio. In turn, so that a busy machine is busy for both.
 */
import { spawnSync } from 'node:child_process';
import { median } from '../figures.js';
import { User, type Window } from './windows.js';

const ROUNDS = 9;
const CALLS = 200;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

await using user = await User.create();
const settings = { TIMEOUT_SETTLE: '0' };
const flags = { shared: ['--shared'], stdio: [] };
const resident = await user.open(settings);
const starts = { shared: [] as number[], stdio: [] as number[], node: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  for (const way of ['shared', 'stdio'] as const) {
    const opened: Window[] = [];
    starts[way].push(await timed(async () => opened.push(await user.open(settings, flags[way]))));
    for (const { client } of opened) await client.close();
  }
  starts.node.push(await timed(async () => spawnSync(process.execPath, ['-e', '0'])));
}
const calls = {
  ping: (window: Window) => window.client.ping(),
  evaluate: (window: Window) => window.call('browser_evaluate', { function: '() => 1' }),
};
const own = await user.open(settings, []);
for (const window of [resident, own]) await window.call('browser_navigate', { url: 'data:text/html,a' });
console.log(
  `start: ${Object.entries(starts)
    .map(([way, times]) => `${way} ${median(times).toFixed(0)} ms`)
    .join(', ')}`,
);
for (const [name, call] of Object.entries(calls)) {
  const times = { shared: [] as number[], stdio: [] as number[] };
  for (let round = 0; round < CALLS; round++) {
    times.shared.push(await timed(() => call(resident)));
    times.stdio.push(await timed(() => call(own)));
  }
  const [shared, stdio] = [median(times.shared), median(times.stdio)];
  console.log(
    `${name}: shared ${shared.toFixed(2)} ms, stdio ${stdio.toFixed(2)} ms, difference ${(shared - stdio).toFixed(2)} ms`,
  );
}
await Promise.all([resident, own].map(({ client }) => client.close()));
