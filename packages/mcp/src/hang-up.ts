import { closeSync, constants, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Says what SIGHUP means for this process (docs/decisions/0440): when the terminal that it was started from is gone, that
 * nobody is left who could end it; otherwise, as for every server, that it is to take its configuration in again.
 */
export function onHangUp({ reload, end }: { reload: () => void; end: () => void }): void {
  const hadTerminal = usesTerminal() && hasTerminal();
  process.on('SIGHUP', () => (hadTerminal && !hasTerminal() ? end() : reload()));
}

/** Who has stdin, stdout and stderr elsewhere, as with nohup, has told it to outlive its terminal. */
function usesTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

/** The kernel takes a lost terminal from every process of its session before it sends them SIGHUP. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
