import { isRunning, pause, type ServerEntry, systemClock } from '@pwpool/core/internal';
import { type OperateOptions, operate } from '../operate.js';
import { complain, tell } from '../output.js';

interface StopOptions extends OperateOptions {
  drain?: true;
  timeout?: number;
}

/** Milliseconds between two looks whether the server is there. */
const LOOK_MS = 100;

/** Milliseconds that a server may take to close its browsers: longer than it gives itself. */
const END_MS = 30_000;

/** Ends a running server, and waits until it has ended. */
export async function stop(options: StopOptions): Promise<number> {
  const { drain = false, timeout } = options;
  const input = { drain, ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) }) };
  return await operate(options, 'stop', input, async (entry) => {
    const hasEnded = await ended(entry);
    if (!hasEnded) complain(`The server ${entry.pid} has not ended within ${END_MS / 1000} s.`);
    else if (!options.json) tell(`The server ${entry.pid} has ended.`);
  });
}

async function ended({ pid, processStart }: ServerEntry): Promise<boolean> {
  const never = new AbortController().signal;
  for (let waited = 0; waited < END_MS; waited += LOOK_MS) {
    if (!(await isRunning(pid, processStart))) return true;
    await pause(systemClock, LOOK_MS, never);
  }
  return false;
}
