import { join } from 'node:path';
import {
  configFingerprint,
  givenEnvironment,
  makeRuntimeDirectory,
  type PwpoolConfig,
  socketPathOf,
} from '@pwpool/core/light';

/** Names of what belongs to one shared server, in the runtime directory: its version, and what it was configured with. */
const NAME = /^shared-(?<version>.+)-[0-9a-f]{12}$/;

/** Where the shared server is that windows like this one have in common. */
export interface SharedAddress {
  /** The runtime directory. */
  directory: string;
  /** Only a server of the same version and configuration has the same. */
  name: string;
  socketPath: string;
}

/** @throws PwpoolError `CONFIG_INVALID` for a runtime directory that cannot be used */
export async function sharedAddress(
  config: PwpoolConfig,
  version: string,
  { env = givenEnvironment(), cwd = process.cwd() } = {},
): Promise<SharedAddress> {
  const directory = await makeRuntimeDirectory(env);
  const name = `shared-${version}-${configFingerprint(config, { env, cwd })}`;
  return { directory, name, socketPath: socketPathOf(directory, name) };
}

/** The version in a name; `undefined` for what names no shared server. */
export function versionIn(name: string): string | undefined {
  return NAME.exec(name)?.groups?.['version'];
}

/** Where shared servers keep the sessions of ends, in a folder for each. */
export function checkpointsIn(directory: string): string {
  return join(directory, 'sessions');
}
