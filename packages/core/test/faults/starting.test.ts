// @module-tag at-length
import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PoolInput } from '../../src/config/config-input.js';
import { browserType } from '../../src/driver/launch/engine.js';
import { textOf } from '../driver/embedded-fixture.js';
import { executablePath } from '../driver/fixtures/browsers.js';
import { errorOf } from '../pool/pool-fixture.js';
import { eventually } from './fixtures/eventually.js';
import { Ground } from './fixtures/ground.js';

let ground: Ground;
beforeEach(async () => {
  ground = await Ground.prepare();
});
afterEach(() => ground.clear());

/** What keeps a browser from starting, where it is seen, and what puts it right. */
interface Obstacle {
  name: string;
  drivers: readonly PoolInput['driver'][];
  settings: (directory: string) => Partial<PoolInput>;
  /** @returns what undoes it */
  raise: (directory: string) => Promise<() => Promise<unknown>>;
  reason: RegExp;
}

const OBSTACLES: readonly Obstacle[] = [
  {
    name: 'the executable is missing',
    drivers: ['embedded'],
    settings: (directory) => ({ executablePath: join(directory, 'browser') }),
    raise: async (directory) => () => script(directory, `exec '${executablePath}' "$@"`),
    reason: /EXECUTABLE_PATH names no executable file/,
  },
  {
    name: 'the executable ends at once',
    drivers: ['embedded', 'process'],
    settings: (directory) => ({ executablePath: join(directory, 'browser') }),
    raise: async (directory) => {
      await script(directory, 'exit 3');
      return () => script(directory, `exec '${executablePath}' "$@"`);
    },
    reason: /did not start/,
  },
  {
    name: 'the disk has no room for a profile',
    drivers: ['embedded'],
    settings: (directory) => ({
      isolated: false,
      profileDir: join(directory, 'profiles'),
      executablePath: join(directory, 'browser'),
    }),
    raise: async (directory) => {
      // No file may get longer than nothing.
      await script(directory, `ulimit -f 0; exec '${executablePath}' "$@"`);
      return () => script(directory, `exec '${executablePath}' "$@"`);
    },
    reason: /did not start/,
  },
  {
    name: 'the profile directory cannot be made',
    drivers: ['embedded'],
    settings: (directory) => ({ isolated: false, profileDir: join(directory, 'file', 'profiles') }),
    raise: async (directory) => {
      await writeFile(join(directory, 'file'), '');
      return () => rm(join(directory, 'file'));
    },
    reason: /ENOTDIR/,
  },
  {
    name: 'the profile is locked by another browser',
    drivers: ['embedded', 'process'],
    settings: (directory) => ({ isolated: false, profileDir: directory }),
    raise: async (directory) => {
      const other = await browserType('chromium').launchPersistentContext(join(directory, 'WEB', '0'), {
        executablePath,
      });
      onTestFinished(() => other.close());
      return () => other.close();
    },
    reason: /did not start: process \d+ \(chrom\w*\) uses the profile/,
  },
  {
    name: 'the profile is locked from a computer that is gone',
    drivers: ['embedded', 'process'],
    settings: (directory) => ({ isolated: false, profileDir: directory }),
    raise: async (directory) => {
      const lock = join(directory, 'WEB', '0', 'SingletonLock');
      await mkdir(dirname(lock), { recursive: true });
      await symlink('replaced-container-1', lock);
      return () => rm(lock);
    },
    reason: /on another computer \(replaced-container\)/,
  },
  {
    name: 'no temporary directory can be made',
    drivers: ['embedded'],
    settings: () => ({}),
    raise: async (directory) => {
      const { TMPDIR } = process.env;
      await writeFile(join(directory, 'file'), '');
      vi.stubEnv('TMPDIR', join(directory, 'file'));
      return async () => vi.stubEnv('TMPDIR', TMPDIR ?? '');
    },
    reason: /ENOTDIR/,
  },
];

/** Puts a script into the place of the browser, whole: a file that is being written cannot be started. */
async function script(directory: string, commands: string): Promise<void> {
  const draft = join(directory, 'draft');
  await writeFile(draft, `#!/bin/sh\n${commands}\n`, { mode: 0o755 });
  await rename(draft, join(directory, 'browser'));
}

describe.each(['embedded', 'process'] as const)('driver %s', (driver) => {
  it.each(OBSTACLES.filter(({ drivers }) => drivers.includes(driver)))(
    '$name: status tells, and the pool comes up when that is over',
    async (obstacle) => {
      const { directory } = ground;
      const mend = await obstacle.raise(directory);
      const pools = await ground.startPool({ driver, ...obstacle.settings(directory) });
      await eventually(
        () => ground.status().map(({ health_check }) => health_check.error),
        [expect.stringMatching(obstacle.reason)],
      );
      const refused = await errorOf(pools.lease({ timeoutMs: 1 }));
      expect(refused).toMatchObject({ code: 'LEASE_TIMEOUT' });
      expect(refused.message).toMatch(obstacle.reason);
      await mend();
      await ground.expectFullStrength();
      await ground.expectNothingLeft();
    },
  );

  it('a start that never ends is given up at its deadline, and what it started is gone [000-runtime-01]', async () => {
    await script(ground.directory, 'sleep 1000');
    const settings = { driver, executablePath: join(ground.directory, 'browser'), maxRestarts: 0 };
    const pools = await ground.startPool({ ...settings, startTimeout: 1_500 });
    await eventually(
      () => ground.status().map(({ health_check }) => health_check.error),
      [expect.stringMatching(/did not start|no answer within/)],
    );
    expect(await errorOf(pools.lease())).toMatchObject({ code: 'NO_HEALTHY_INSTANCES' });
    await eventually(() => ground.processesLeft(), []);
    await ground.expectNothingLeft();
  });

  it('a start that never ends is ended with its pool', async () => {
    await script(ground.directory, 'touch "$(dirname "$0")/started"; sleep 1000');
    await ground.startPool({ driver, executablePath: join(ground.directory, 'browser') });
    await eventually(() => ground.processesLeft().length > 0, true);
    await ground.expectNothingLeft();
  });
});

it.each(['ws://', 'http://', 'mcp+http://'])(
  'a start that waits for %s, which takes the connection and says nothing, does not hold up the end of its pool',
  async (scheme) => {
    let connected = 0;
    const silent = createServer((socket) => {
      connected++;
      socket.resume();
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    // Playwright's connecting cannot be cancelled: it ends with the deadline that it was given.
    await ground.startPool({ endpoint: `${scheme}127.0.0.1:${port}/`, startTimeout: 2_000 });
    await eventually(() => connected > 0, true);
    await ground.pools.close();
    silent.close();
    await ground.expectNothingLeft();
  },
);

it('an output directory that cannot be made fails the calls that need it, and nothing else', async () => {
  await writeFile(join(ground.directory, 'file'), '');
  const pools = await ground.startPool({}, join(ground.directory, 'file', 'output'));
  await ground.expectHealthy();
  {
    await using lease = await pools.lease();
    await lease.callTool('browser_navigate', { url: `${ground.site.origin}/home` });
    const picture = await lease.callTool('browser_take_screenshot');
    expect([picture.isError, textOf(picture)]).toEqual([true, expect.stringContaining('ENOTDIR')]);
    expect(textOf(await lease.callTool('browser_snapshot'))).toContain('Page Title: /home');
  }
  await rm(join(ground.directory, 'file'));
  await mkdir(join(ground.directory, 'file'));
  await ground.expectFullStrength();
  await ground.expectNothingLeft();
});
