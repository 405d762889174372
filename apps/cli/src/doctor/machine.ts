import { execFile } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { PwpoolConfig } from '@pwpool/core';
import { plural } from '../configuration.js';
import type { Finding } from './finding.js';

const MIB = 1024 * 1024;

/** MiB of one browser with a page, and of each context more in it: docs/pools.md has how they were measured. */
const BROWSER_MIB = 240;
const CONTEXT_MIB = 70;

/** Docker's default is 64 MiB. */
const LITTLE_SHM_MIB = 128;

/** The least that package.json asks for. */
const LEAST_NODE = [20, 19] as const;

export function checkNode(): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  const message = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (!isOld) return [{ check: 'node', status: 'ok', message }];
  return [
    { check: 'node', status: 'failure', message, fix: `Install Node ${LEAST_NODE.join('.')} or later.` },
  ];
}

/** Whether Chromium's own sandbox can be used, which it is where `SANDBOX` is true. */
export function checkSandbox({ pools }: PwpoolConfig): Finding[] {
  if (process.platform !== 'linux') return [];
  const check = 'sandbox';
  const obstacle = sandboxObstacle();
  const wanted = pools.filter(({ instances }) => instances.some(({ settings }) => settings.sandbox === true));
  if (obstacle === undefined) {
    const message = "Chromium's sandbox can be used";
    const hint = wanted.length > 0 ? '' : '; it is off unless SANDBOX=true';
    return [{ check, status: 'ok', message: message + hint }];
  }
  if (wanted.length === 0) {
    return [
      {
        check,
        status: 'ok',
        message: `Chromium's sandbox is off (SANDBOX), and could not be used: ${obstacle}`,
      },
    ];
  }
  return [
    {
      check,
      status: 'failure',
      message: `SANDBOX=true in ${wanted.map(({ name }) => name).join(', ')} cannot be kept: ${obstacle}`,
      fix: 'Run pwpool as another user than root, allow user namespaces (sysctl), or remove SANDBOX.',
    },
  ];
}

function sandboxObstacle(): string | undefined {
  if (process.getuid?.() === 0) return 'root runs no sandboxed browser';
  if (readNumber('/proc/sys/kernel/unprivileged_userns_clone') === 0) {
    return 'kernel.unprivileged_userns_clone is 0';
  }
  if (readNumber('/proc/sys/user/max_user_namespaces') === 0) return 'user.max_user_namespaces is 0';
  if (readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1) {
    return 'AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)';
  }
  return undefined;
}

/** Whether text on pages and in screenshots has glyphs. */
export async function checkFonts(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const check = 'fonts';
  let families: number;
  try {
    const { stdout } = await promisify(execFile)('fc-list', [':', 'family'], { timeout: 10_000 });
    families = new Set(stdout.split('\n').filter((line) => line.trim() !== '')).size;
  } catch {
    return [
      {
        check,
        status: 'warning',
        message: 'fc-list is not there to tell which fonts are installed',
        fix: 'Install fontconfig, and with it fonts: apt-get install fontconfig fonts-liberation.',
      },
    ];
  }
  if (families > 0) return [{ check, status: 'ok', message: `${families} font families` }];
  return [
    {
      check,
      status: 'warning',
      message: 'No fonts are installed: pages and screenshots show boxes for text',
      fix: 'Install some: apt-get install fonts-liberation fonts-noto-color-emoji fonts-noto-cjk.',
    },
  ];
}

export function checkSharedMemory(): Finding[] {
  if (process.platform !== 'linux') return [];
  const check = '/dev/shm';
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    const size = Math.round((bsize * blocks) / MIB);
    if (size >= LITTLE_SHM_MIB) return [{ check, status: 'ok', message: `${size} MiB` }];
    return [
      {
        check,
        status: 'warning',
        message: `${size} MiB is little: a browser told to use it (--enable-dev-shm-usage, Firefox) crashes on large pages`,
        fix: 'In a container, start it with --shm-size=1g or --ipc=host.',
      },
    ];
  } catch {
    return [{ check, status: 'warning', message: 'It is not there', fix: 'Mount a tmpfs on /dev/shm.' }];
  }
}

/** Whether all instances that are planned would fit into the memory that is free now. */
export function checkMemory({ pools }: PwpoolConfig): Finding[] {
  const check = 'memory';
  const instances = pools
    .flatMap((pool) => pool.instances)
    .filter(({ settings }) => settings.endpoint === undefined && !settings.wslWindows);
  if (instances.length === 0) return [];
  const browsers = Math.ceil(
    instances.reduce((sum, { settings }) => sum + 1 / settings.contextsPerBrowser, 0),
  );
  const needed = browsers * BROWSER_MIB + (instances.length - browsers) * CONTEXT_MIB;
  const free = Math.round(process.availableMemory() / MIB);
  const each = Math.round(needed / instances.length);
  const message =
    `${plural(instances.length, 'instance')} in ${plural(browsers, 'browser')} need about ${needed} MiB with a page each ` +
    `(${each} MiB an instance); ${free} MiB are free`;
  if (needed <= free) return [{ check, status: 'ok', message }];
  return [
    {
      check,
      status: 'warning',
      message,
      fix: `Set INSTANCES to about ${Math.max(1, Math.floor(free / each))}, or raise CONTEXTS_PER_BROWSER.`,
    },
  ];
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
