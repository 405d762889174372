import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** All processes at one moment. Without a /proc, that is outside Linux, there are none in it. */
export interface ProcessTable {
  /** The directory that it was read from. */
  readonly proc: string;
  readonly parents: ReadonlyMap<number, number>;
}

/** Reads every process once. Whoever asks about several trees shares one table. */
export function readProcessTable(proc = '/proc'): ProcessTable {
  const parents = new Map<number, number>();
  for (const name of processNames(proc)) {
    const parent = readParent(join(proc, name, 'stat'));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  return { proc, parents };
}

/** The process and all that descend from it, parents before their children; nothing if there is no such process. */
export function processTree(rootPid: number, table = readProcessTable()): number[] {
  if (!table.parents.has(rootPid)) return [];
  const children = childrenOf(table);
  // A set: what is added while it is walked is walked too, and a pid that was reused meanwhile cannot make a circle.
  const tree = new Set([rootPid]);
  for (const pid of tree) for (const child of children.get(pid) ?? []) tree.add(child);
  return [...tree];
}

/**
 * Bytes of memory that a process and its descendants take; `undefined` outside Linux and for a process that is gone.
 *
 * Counted as PSS: of a page that several processes share, each is charged its part. A process whose PSS may not be read
 * counts with its RSS, all its shared pages included.
 */
export async function memoryOf(rootPid: number, table = readProcessTable()): Promise<number | undefined> {
  const each = await Promise.all(
    processTree(rootPid, table).map((pid) => memoryOfProcess(join(table.proc, String(pid)))),
  );
  const known = each.filter((bytes) => bytes !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0);
}

/** The name of the program that a process runs; `undefined` outside Linux and for a process that is gone. */
export function programOf(processId: number): string | undefined {
  try {
    return readFileSync(`/proc/${processId}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function processNames(proc: string): string[] {
  try {
    return readdirSync(proc).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readParent(path: string): number | undefined {
  try {
    const stat = readFileSync(path, 'latin1');
    // Field 2, the name, is in parentheses and may itself hold spaces and parentheses: count from its end.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return Number.isSafeInteger(parent) ? parent : undefined;
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

function childrenOf({ parents }: ProcessTable): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  return children;
}

async function memoryOfProcess(directory: string): Promise<number | undefined> {
  return (
    (await readKilobytes(join(directory, 'smaps_rollup'), /^Pss:\s+(\d+) kB/m)) ??
    (await readKilobytes(join(directory, 'status'), /^VmRSS:\s+(\d+) kB/m))
  );
}

/** In bytes. */
async function readKilobytes(path: string, pattern: RegExp): Promise<number | undefined> {
  try {
    const kilobytes = pattern.exec(await readFile(path, 'latin1'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
