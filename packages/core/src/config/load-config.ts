import { readDotenvFile } from './dotenv-file.js';
import { readVariables, type Variables } from './environment.js';
import type { PwpoolConfig } from './model.js';
import { type ConfigInspection, configOrThrow, resolveLayers } from './resolve.js';
import type { ConfigWarning } from './violations.js';

export interface ConfigSources {
  /** Default: `process.env`. */
  env?: Variables | undefined;
  /** The directory whose `.env` file is read. Default: `process.cwd()`. */
  cwd?: string | undefined;
}

export interface LoadOptions extends ConfigSources {
  /** Is told what has no effect and was probably meant to have one. Default: nobody is. */
  onWarning?: ((warning: ConfigWarning) => void) | undefined;
}

/**
 * Reads the configuration from the environment and from `.env`, and reports all violations rather than throw.
 *
 * The environment beats `.env`, which beats the built-in defaults; then instance beats pool beats global.
 */
export function inspectConfig({
  env = process.env,
  cwd = process.cwd(),
}: ConfigSources = {}): ConfigInspection {
  const file = readDotenvFile(cwd);
  // As usual with .env files, a variable that the environment already has is not looked at in the file.
  const onlyInFile = Object.entries(file.variables).filter(([name]) => env[name] === undefined);
  const layers = [readVariables('environment', env), readVariables('dotenv', Object.fromEntries(onlyInFile))];
  return resolveLayers(layers, file);
}

/**
 * Reads the configuration from the environment and from `.env`.
 * @throws PwpoolError `CONFIG_INVALID`, with all violations in its message and in `details.violations`
 */
export function loadConfig({ onWarning, ...sources }: LoadOptions = {}): PwpoolConfig {
  const inspection = inspectConfig(sources);
  for (const warning of inspection.warnings) onWarning?.(warning);
  return configOrThrow(inspection);
}
