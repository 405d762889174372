import { expect, it, vi } from 'vitest';
import { memoryOf, readProcessTable } from '../../src/driver/process-tree.js';
import { poolOf } from './pool-fixture.js';

vi.mock('../../src/driver/process-tree.js', { spy: true });

it('MAX_MEMORY_MB reads all processes once a round, however many instances there are', async () => {
  const { clock } = await poolOf({ instances: 4, healthInterval: 1_000, maxMemoryMb: 1_000_000 });
  await clock.advance(1_000);
  await expect.poll(() => clock.pendingTimers).toBe(1);
  expect(vi.mocked(memoryOf)).toHaveBeenCalledTimes(4);
  expect(vi.mocked(readProcessTable)).toHaveBeenCalledTimes(1);
});
