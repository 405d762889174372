import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserState } from '../../src/session/state/browser-state.js';

/** A state whose one cookie has this value. */
export function stateWith(value: string): BrowserState {
  return {
    version: 1,
    capturedAt: '2026-01-02T10:15:30.000Z',
    cookies: [
      {
        name: 'sid',
        value,
        domain: 'site.test',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    ],
    origins: [],
    pages: [],
    incomplete: [],
  };
}

/** A directory that does not exist yet, in one that is removed with everything in it. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'pwpool-state-'));
  return {
    path: join(parent, 'states'),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}
