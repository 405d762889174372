import { expect, it, onTestFinished, vi } from 'vitest';

vi.mock('../../src/driver/process-tree.js', { spy: true });

it('MAX_MEMORY_MB reads all processes once a round, however many instances there are', async () => {
  // What other tests of this process have loaded calls the real functions, and what is loaded here is not for them.
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  const { memoryOf, readProcessTable } = await import('../../src/driver/process-tree.js');
  const { poolOf } = await import('./pool-fixture.js');

  const { clock } = await poolOf({ instances: 4, healthInterval: 1_000, maxMemoryMb: 1_000_000 });
  await clock.advance(1_000);
  await expect.poll(() => clock.pendingTimers).toBe(1);
  expect(vi.mocked(memoryOf)).toHaveBeenCalledTimes(4);
  expect(vi.mocked(readProcessTable)).toHaveBeenCalledTimes(1);
});
