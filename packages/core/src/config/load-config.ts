import { resolve } from 'node:path';
import { findConfigFile, isConfigFile, readConfigFile } from './config-file.js';
import { readConfigFlags } from './config-flags.js';
import { readDotenvFile } from './dotenv-file.js';
import { readVariables, type Variables } from './environment.js';
import type { Layer } from './layer.js';
import type { PwpoolConfig } from './model.js';
import type { Place } from './place.js';
import { type GivenOption, OptionLayers } from './playwright-mcp/option-layer.js';
import { readOptionFile } from './playwright-mcp/read-file.js';
import { readFlags } from './playwright-mcp/read-flags.js';
import { readUpstreamVariables } from './playwright-mcp/read-variables.js';
import { type ConfigInspection, configOrThrow, resolveLayers } from './resolve.js';
import type { ConfigWarning } from './violations.js';

/** Where a configuration is read from; by default from this process [arch-config-06]. */
export interface ConfigSources {
  /** Default: `process.env`. */
  env?: Variables | undefined;
  /** The directory whose `.env` and `pwpool.config.yaml` are read. Default: `process.cwd()`. */
  cwd?: string | undefined;
  /** Flags: `--config`, `--env-file`, `--set`, and those of playwright-mcp, such as `--caps=pdf`. Default: none. */
  args?: readonly string[] | undefined;
}

/** Where a configuration is read from, and who is told of what has no effect. */
export interface LoadOptions extends ConfigSources {
  /** Is told what has no effect and was probably meant to have one. Default: nobody is. */
  onWarning?: ((warning: ConfigWarning) => void) | undefined;
}

/**
 * Reads the configuration from flags, from the environment, from `.env` and from a file, and reports all violations rather
 * than throw.
 *
 * `--set` beats the other flags, which beat `PW_MCP_PROXY_…` variables; then come `PLAYWRIGHT_MCP_…` variables, `.env`, the
 * file and the built-in defaults [arch-config-11, arch-config-12]; then instance beats pool beats global. The file is the one
 * of `--config`, pwpool's or playwright-mcp's, else `pwpool.config.yaml`. Options of playwright-mcp are settings of the
 * default pool.
 */
export function inspectConfig({
  env = process.env,
  cwd = process.cwd(),
  args = [],
}: ConfigSources = {}): ConfigInspection {
  const { set, envFile, rest } = readConfigFlags(args);
  const dotenvFile = readDotenvFile(cwd, envFile);
  // As usual with .env files, a variable that the environment already has is not looked at in the file.
  const onlyInFile = Object.entries(dotenvFile.variables).filter(([name]) => env[name] === undefined);
  const environment = readVariables('environment', env);
  const dotenv = readVariables('dotenv', Object.fromEntries(onlyInFile), dotenvFile.locationOf);

  const flags = readFlags(rest, cwd);
  const variables = readUpstreamVariables(env, cwd);
  const named = configFileOf(flags.given) ?? configFileOf(variables.given);
  const found = named === undefined ? findConfigFile(cwd) : { path: resolve(cwd, named), violations: [] };
  const { path } = found;
  const isOwn = path !== undefined && isConfigFile(path);
  const file = isOwn ? readConfigFile(path, cwd) : undefined;
  const optionFile = path !== undefined && !isOwn ? readOptionFile(path, cwd) : undefined;
  const own = [set, environment, dotenv, ...(file ? [file] : [])];
  const options = new OptionLayers(defaultPool(own.map((reader) => reader.layer())));
  const layers = [
    set,
    options.read('flags', flags.given),
    environment,
    options.read('environment', variables.given),
    dotenv,
    file ?? options.read('file', optionFile?.given ?? []),
    options.implied,
  ];
  return resolveLayers(layers, {
    violations: [
      ...dotenvFile.violations,
      ...found.violations,
      ...flags.violations,
      ...(optionFile?.violations ?? []),
    ],
    warnings: [...dotenvFile.warnings, ...variables.warnings],
    files: [...dotenvFile.files, ...(path === undefined ? [] : [path])],
  });
}

/**
 * Reads the configuration as `inspectConfig` does.
 * @throws PwpoolError `CONFIG_INVALID`, with all violations in its message and in `details.violations`
 */
export function loadConfig({ onWarning, ...sources }: LoadOptions = {}): PwpoolConfig {
  const inspection = inspectConfig(sources);
  for (const warning of inspection.warnings) onWarning?.(warning);
  return configOrThrow(inspection);
}

function configFileOf(given: readonly GivenOption[]): string | undefined {
  const path = given.find(({ option }) => option.variable === 'CONFIG')?.value();
  return typeof path === 'string' ? path : undefined;
}

/** The pool that somebody made the default one; the built-in pool has what is set globally. */
function defaultPool(layers: readonly Layer[]): Place {
  const marked = layers
    .flatMap(({ entries }) => entries)
    .find(({ key, value }) => key === 'IS_DEFAULT' && value === true)?.place;
  return marked?.level === 'pool' ? marked : { level: 'global' };
}
