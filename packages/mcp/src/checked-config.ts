import { type ConfigInspection, type PwpoolConfig, PwpoolError, SiteLimits } from '@pwpool/core';
import { configOrThrow, inspectToolset } from '@pwpool/core/internal';

/**
 * The configuration that its sources have now, also checked for what is only seen when a server starts with it.
 * @throws PwpoolError `CONFIG_INVALID` with every violation; `INVALID_ARGUMENTS` if there are no sources
 */
export async function checkedConfig(inspect: (() => ConfigInspection) | undefined): Promise<PwpoolConfig> {
  if (!inspect) {
    throw new PwpoolError(
      'INVALID_ARGUMENTS',
      'This server has its configuration from a program, not from files.',
      {
        hint: 'Have that program call BrowserPools.reload.',
      },
    );
  }
  const inspection = inspect();
  const config = configOrThrow(inspection);
  const { sitesFile } = config.server;
  const violations = [
    ...(await inspectToolset(config.server)),
    ...(sitesFile === undefined ? [] : await SiteLimits.inspect(sitesFile)),
  ];
  return violations.length === 0 ? config : configOrThrow({ ...inspection, config: undefined, violations });
}
