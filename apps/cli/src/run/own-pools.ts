import { BrowserPools, type PwpoolConfig, SiteLimits } from '@pwpool/core';
import { keepTemporaryFiles } from '@pwpool/core/internal';
import { allLazy } from '../configuration.js';

/** Pools of the command's own, whose browsers start when they are leased, and the limits of sites. */
export async function openPools(config: PwpoolConfig): Promise<{ pools: BrowserPools; sites?: SiteLimits }> {
  keepTemporaryFiles();
  const { sitesFile } = config.server;
  const sites = sitesFile === undefined ? {} : { sites: await SiteLimits.load(sitesFile) };
  return { pools: BrowserPools.start(allLazy(config)), ...sites };
}
