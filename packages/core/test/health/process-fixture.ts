import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/**
 * Runs `source` as a Node process that starts another one of itself with the next source, and so on: a chain of them.
 * Gives their pids, the first process first, once all have run their source. They end with the test, the last one first,
 * each waited for by its parent.
 */
export async function startChain(
  ...sources: string[]
): Promise<{ pids: number[]; end: () => Promise<void> }> {
  const child = spawn(process.execPath, ['-e', link(sources)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const end = () => endOf(child);
  onTestFinished(end);
  const pids: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    pids.push(Number(line));
    if (pids.length === sources.length) break;
  }
  return { pids, end };
}

/** All of a chain have one stdin, whose end ends the last of them. */
function link([source = '', ...rest]: string[]): string {
  const next =
    rest.length === 0
      ? "process.stdin.on('end', () => process.exit()).resume();"
      : `require('node:child_process')
          .spawn(process.execPath, ['-e', ${JSON.stringify(link(rest))}], { stdio: 'inherit' })
          .on('exit', () => process.exit());`;
  return `${source}; require('node:fs').writeSync(1, process.pid + '\\n'); ${next}`;
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  await exited;
}
