import { expect, it } from 'vitest';
import { PwpoolError } from '../../src/errors.js';
import type { Lease } from '../../src/pool/lease.js';
import { StateKeeper } from '../../src/session/state/state-keeper.js';
import { FakeClock, settle } from '../../src/testing/fake-clock.js';
import { errorOf } from '../pool/pool-fixture.js';

const CRASH = new PwpoolError('INSTANCE_CRASHED', 'The browser ended.');
const FORCE = new PwpoolError('LEASE_REVOKED', 'It was taken back after LEASE_MAX.');

const CART = [{ name: 'cart', value: 'teapot' }];

const PAGE = { url: () => 'data:text/html,shop' };

/** A lease of a browser that shows one page, and in which bringing a state in never ends. */
function leaseOf(revoked: AbortSignal): Lease {
  const context = {
    cookies: async () => [],
    pages: () => [PAGE],
    storageState: async () => ({ origins: [] }),
    setStorageState: () => new Promise(() => {}),
  };
  const lease = { context: () => context, openPages: () => [PAGE], revoked };
  return { ...lease, config: { settings: { isolated: true } } } as unknown as Lease;
}

it.each([
  { losses: [CRASH, CRASH], kept: 0 },
  { losses: [FORCE, FORCE, FORCE], kept: 1 },
  { losses: [CRASH, FORCE], kept: 1 },
  { losses: [CRASH, FORCE, CRASH], kept: 0 },
])('only crashes while a state is brought back are put down to its pages (%#)', async ({ losses, kept }) => {
  const clock = new FakeClock();
  const keeper = new StateKeeper(clock);
  await keeper.capture(leaseOf(new AbortController().signal));
  for (const loss of losses) {
    const end = new AbortController();
    const brought = errorOf(keeper.bringBack(leaseOf(end.signal)));
    await settle();
    end.abort(loss);
    expect((await brought).code).toBe(loss.code);
  }
  expect(keeper.last?.pages).toHaveLength(kept);
  expect(keeper.last?.incomplete).toEqual(
    kept > 0 ? [] : ['data:… was not opened again: a browser crashed on it.'],
  );
  expect(clock.pendingTimers).toBe(0);
});

it('a checkpoint that comes while all is read takes nothing of that away', async () => {
  const localStorage = '["\\"cart\\"","\\"teapot\\""]';
  const evaluate = async () => {
    await settle();
    return { origin: 'https://shop.test', sessionStorage: '[]', localStorage };
  };
  const page = { url: () => 'https://shop.test/', evaluate };
  const context = {
    cookies: async () => [],
    storageState: async () => ({ origins: [{ origin: 'https://shop.test', localStorage: CART }] }),
  };
  const fake = { context: () => context, openPages: () => [page], revoked: new AbortController().signal };
  const lease = fake as unknown as Lease;
  const keeper = new StateKeeper(new FakeClock());
  await Promise.all([keeper.capture(lease), keeper.checkpoint(lease)]);
  expect(keeper.last).toMatchObject({ incomplete: [], origins: [{ localStorage: CART }] });
});
