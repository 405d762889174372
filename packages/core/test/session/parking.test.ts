import { expect, it } from 'vitest';
import { Parking } from '../../src/session/parking.js';
import type { Session } from '../../src/session/session.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';

/** A session as parking sees it, which was idle for so long. */
function idle(idleMs: number, park: () => Promise<boolean>) {
  return { hasBrowser: true, config: { pool: 'WEB', id: '0' }, idleMs, park } as unknown as Session;
}

it('a session whose state cannot be read keeps its browser, and the next one is parked for the waiter', async () => {
  const parked: string[] = [];
  const sessions = [
    idle(60_000, async () => {
      throw new Error('It has no context.');
    }),
    idle(50_000, async () => parked.push('next') > 0),
    idle(40_000, async () => parked.push('last') > 0),
  ];
  const clock = new FakeClock();
  const parking = new Parking({ clock, idleMs: 1_000, sessions: () => sessions });
  const stop = parking.makeRoom({ pool: 'WEB', instance: undefined });
  await settle();
  expect(parked).toEqual(['next']);
  stop();
  expect(clock.pendingTimers).toBe(0);
});
