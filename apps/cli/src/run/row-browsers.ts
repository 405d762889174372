import { type PwpoolConfig, PwpoolError } from '@pwpool/core';
import {
  askStatus,
  OwnBrowsers,
  type RowBrowsers,
  type ServerEntry,
  type ServerReport,
  systemClock,
} from '@pwpool/core/internal';
import { noServer } from '../running-server.js';
import type { CheckedScript } from './checked-script.js';
import type { RunOptions } from './options.js';
import { openPools } from './own-pools.js';
import { ServerBrowsers } from './server-browsers.js';

/** Milliseconds that a server has to tell its pools. */
const ANSWER_MS = 5_000;

/**
 * The browsers for the rows: of a pool of this command's own, or with `--server` of a running one.
 * @throws PwpoolError `INVALID_ARGUMENTS` for what does not go together, or no such server; `POOL_NOT_FOUND`
 */
export async function openBrowsers(
  script: CheckedScript,
  config: PwpoolConfig,
  options: RunOptions,
  files: string,
): Promise<RowBrowsers & { pool: string }> {
  const { server, tabs = 1 } = options;
  if (server !== undefined) {
    if (tabs > 1)
      throw needsOwnPool('--tabs', 'Leave one of them out: the server says how many browsers a process has.');
    if (script.needsPage) {
      throw needsOwnPool(
        `${script.file.name} has the page itself, which`,
        'Leave --server out, or write the script as steps in YAML.',
      );
    }
    return await ofServer(await serverFor(server), script, options, files);
  }
  const { pools, sites } = await openPools(config);
  try {
    const { name: pool, config: found } = pools.pool(options.pool ?? script.pool);
    const siteTimeoutMs = found.settings.leaseTimeout;
    const { clean, toolset } = script;
    const parts = { clock: systemClock, toolset, sites, siteTimeoutMs };
    const own = new OwnBrowsers(pools, { ...parts, pool, clean, tabs, files });
    return {
      pool,
      capacity: own.capacity,
      newWorker: (use) => own.newWorker(use),
      async [Symbol.asyncDispose]() {
        await own[Symbol.asyncDispose]();
        await pools[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await pools[Symbol.asyncDispose]();
    throw error;
  }
}

async function ofServer(
  { entry, pools }: Server,
  { clean, toolset, pool: named }: CheckedScript,
  options: RunOptions,
  files: string,
): Promise<RowBrowsers & { pool: string }> {
  const wanted = options.pool ?? named;
  const found = pools.find(({ name, is_default }) => (wanted === undefined ? is_default : name === wanted));
  if (!found) {
    throw new PwpoolError('POOL_NOT_FOUND', `The server ${entry.pid} has no pool '${wanted ?? ''}'.`, {
      hint: `It has: ${pools.map(({ name }) => name).join(', ')}.`,
    });
  }
  const { name: pool, total_instances: capacity } = found;
  const browsers = new ServerBrowsers(entry, { pool, clean, toolset: toolset.name, capacity, files });
  return {
    pool,
    capacity,
    newWorker: (use) => browsers.newWorker(use),
    [Symbol.asyncDispose]: () => browsers[Symbol.asyncDispose](),
  };
}

interface Server {
  entry: ServerEntry;
  pools: NonNullable<ServerReport['status']>['pools'];
}

/** @param wanted a process id, a URL, or `true` for the only one */
async function serverFor(wanted: string | true): Promise<Server> {
  const running = await askStatus({ timeoutMs: ANSWER_MS, clock: systemClock });
  const matching = wanted === true ? running : running.filter(({ entry }) => isMeant(entry, wanted));
  const [found] = matching;
  const entries = running.map(({ entry }) => entry);
  if (matching.length > 1) {
    const pids = entries.map(({ pid }) => pid).join(', ');
    throw new PwpoolError('INVALID_ARGUMENTS', `Several pwpool servers of yours are running: ${pids}.`, {
      hint: 'Name one: --server PID; "pwpool status" tells them apart.',
    });
  }
  if (found?.error) throw found.error;
  if (found) return { entry: found.entry, pools: found.status.pools };
  if (wanted !== true && !/^\d+$/.test(wanted)) {
    throw new PwpoolError(
      'INVALID_ARGUMENTS',
      `No pwpool server of yours on this machine serves ${wanted}.`,
      {
        hint: 'Rows cannot run on a server over HTTP, since their files would be on its machine: run this command there, as the user of the server, or here without --server.',
      },
    );
  }
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    noServer(wanted === true ? undefined : Number(wanted), entries),
    {
      hint: 'Without --server, rows run on a pool of their own.',
    },
  );
}

function isMeant({ pid, httpAddress }: ServerEntry, wanted: string): boolean {
  if (/^\d+$/.test(wanted)) return pid === Number(wanted);
  const host = (url: string) => (URL.canParse(url) ? new URL(url).host : undefined);
  return httpAddress !== null && host(httpAddress) !== undefined && host(httpAddress) === host(wanted);
}

function needsOwnPool(what: string, hint: string): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `${what} needs a pool of its own, and cannot go with --server.`,
    {
      hint,
    },
  );
}
