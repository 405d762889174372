import { readdirSync, readFileSync } from 'node:fs';

/** A process below another one. */
export interface Descendant {
  processId: number;
  commandLine: string;
}

/** The processes below `root`, without it. Linux only. */
export function descendantsOf(root: number): Descendant[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    // What follows the last parenthesis, which ends the name: state, parent, …
    const parent = Number(
      read(`/proc/${name}/stat`)
        .replace(/^.*\) \S /s, '')
        .split(' ')[0],
    );
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (processId: number): number[] =>
    (children.get(processId) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root).map((processId) => ({
    processId,
    commandLine: read(`/proc/${processId}/cmdline`).replaceAll('\0', ' '),
  }));
}

/** Bytes of memory (PSS) of processes and all below them. Linux only. */
export function memoryOfTrees(roots: readonly number[]): number {
  return roots
    .flatMap((root) => [root, ...descendantsOf(root).map(({ processId }) => processId)])
    .reduce((sum, processId) => sum + memoryOf(processId), 0);
}

/** Bytes of memory (PSS) of one process; 0 when it is gone. */
export function memoryOf(processId: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${processId}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

/** Open files, sockets and pipes of one process; 0 when it is gone. */
export function handlesOf(processId: number): number {
  try {
    return readdirSync(`/proc/${processId}/fd`).length;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
