import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { CancelTimer, Clock } from '../clock.js';

/** Milliseconds without another change after which the files count as written: editors write in several steps. */
const QUIET_MS = 200;

/**
 * Calls `onChange` when one of the files has changed, come or gone, once for changes that follow closely. Their directories
 * are watched, since many a program puts a new file in place of the old one; a directory that is not there is left out.
 * Disposing of the result ends it.
 */
export function watchFiles(paths: readonly string[], clock: Clock, onChange: () => void): Disposable {
  const names = new Map<string, Set<string>>();
  for (const path of paths.map((each) => resolve(each)))
    names.set(dirname(path), (names.get(dirname(path)) ?? new Set()).add(basename(path)));
  let cancelTimer: CancelTimer = () => {};
  const changed = () => {
    cancelTimer();
    cancelTimer = clock.after(QUIET_MS, onChange);
  };
  const watchers = [...names].flatMap(([directory, files]) => {
    const watcher = watchDirectory(directory, (name) => {
      if (name === null || files.has(name)) changed();
    });
    return watcher ? [watcher] : [];
  });
  return {
    [Symbol.dispose]: () => {
      cancelTimer();
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchDirectory(path: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => onEvent(name));
    // The directory was removed: nothing more is seen of it.
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
