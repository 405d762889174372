/**
 * Kills what is left of a browser that has ended: a process of it that was suspended does not end with it. The browser
 * was the leader of a process group; Windows has none, and there nothing is done.
 */
export function killProcessGroup(leader: number): void {
  if (process.platform !== 'win32' && mayBeKilled(leader)) kill(-leader);
}

export function killProcess(processId: number): void {
  if (mayBeKilled(processId)) kill(processId);
}

/** Ids that stand for more than one process: 0 and -1 for groups and for all, 1 for what all others hang on. */
function mayBeKilled(processId: number): boolean {
  return processId > 1;
}

function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
