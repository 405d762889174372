import { PwpoolError } from '@pwpool/core';
import { asVariables, type ConfigExplanation, explainConfig, writtenSettings } from '@pwpool/core/internal';
import { describeConfig } from '../config-view.js';
import { type ConfigOptions, readConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { print, printJson, tell } from '../output.js';

interface ConfigViewOptions extends ConfigOptions {
  pool?: string;
  changed?: true;
  json?: true;
  env?: true;
}

/** Shows every effective value with its origin [000-example-03, arch-config-07]. */
export function config(options: ConfigViewOptions): number {
  const found = readConfiguration(options);
  if (!found) return EXIT.config;
  const all = ofPool(explainConfig(found), options.pool);
  if (options.env) {
    print(asVariables(writtenSettings(all)));
    return EXIT.ok;
  }
  const isShown = ({ origin }: Setting) => !options.changed || origin.level !== 'built-in';
  if (options.json) printJson(filtered(all, isShown));
  else tell(describeConfig(all, isShown));
  return EXIT.ok;
}

type Setting = ConfigExplanation['server'][number];

function ofPool(explanation: ConfigExplanation, pool: string | undefined): ConfigExplanation {
  if (pool === undefined) return explanation;
  const pools = explanation.pools.filter((each) => each.pool === pool);
  if (pools.length > 0) return { server: [], pools };
  throw new PwpoolError('POOL_NOT_FOUND', `There is no pool ${pool}.`, {
    hint: `There are: ${explanation.pools.map((each) => each.pool).join(', ')}.`,
  });
}

function filtered(
  { server, pools }: ConfigExplanation,
  isShown: (setting: Setting) => boolean,
): ConfigExplanation {
  return {
    server: server.filter(isShown),
    pools: pools.map(({ settings, instances, ...pool }) => ({
      ...pool,
      settings: settings.filter(isShown),
      instances: instances.map((instance) => ({ ...instance, settings: instance.settings.filter(isShown) })),
    })),
  };
}
