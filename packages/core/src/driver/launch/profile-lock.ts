import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../process-identity.js';
import { programOf } from '../process-tree.js';

/** Links by which Chromium and Firefox mark a profile that they have open, and what their text tells. */
const LOCKS: Readonly<Record<string, RegExp>> = {
  SingletonLock: /^(?<computer>.+)-(?<processId>\d+)$/,
  lock: /\+(?<processId>\d+)$/,
};

/** Why no browser starts on a profile that another one has locked, and what to do about it. */
export function profileLocked(profile: string): Record<'reason' | 'hint', string> | undefined {
  for (const [name, form] of Object.entries(LOCKS)) {
    const path = join(profile, name);
    const { computer = hostname(), processId } = form.exec(linkTarget(path))?.groups ?? {};
    if (processId === undefined) continue;
    if (computer !== hostname()) {
      return {
        reason: `a browser on another computer (${computer}) has locked the profile ${profile}.`,
        hint: `If that browser is gone, say with the container it ran in, remove ${path}. Or set ISOLATED=true, which keeps no profile, or another PROFILE_DIR.`,
      };
    }
    // A browser that was killed leaves its link behind, and the next one takes it over.
    if (isAlive(Number(processId))) {
      return {
        reason: `${whoIs(Number(processId))} uses the profile ${profile}.`,
        hint: 'Close that one, or set ISOLATED=true, which keeps no profile, or another PROFILE_DIR.',
      };
    }
  }
  return undefined;
}

function whoIs(processId: number): string {
  const program = programOf(processId);
  return program === undefined ? `process ${processId}` : `process ${processId} (${program})`;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
