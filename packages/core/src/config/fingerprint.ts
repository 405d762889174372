import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Variables } from './environment.js';
import { definitionOf, KEY_NAMES } from './keys.js';
import type { PwpoolConfig } from './model.js';

/** What a browser sees of the environment beside the configuration: its screen, its way out, where its user keeps things. */
const SURROUNDINGS =
  /^(?:DISPLAY|WAYLAND_DISPLAY|HOME|TMPDIR|XDG_DATA_HOME|(?:HTTPS?|ALL|NO)_PROXY|PLAYWRIGHT_(?!MCP_).+)$/i;

const PATH_SETTINGS: ReadonlySet<string> = new Set(
  KEY_NAMES.filter((key) => definitionOf(key).type === 'path').map((key) => definitionOf(key).setting),
);

/**
 * Tells whether two processes would run the same browsers in the same way: twelve hexadecimal digits of what is in force,
 * wherever it was set. The working directory counts only where a setting depends on it.
 */
export function configFingerprint(
  { server, pools }: PwpoolConfig,
  { env, cwd }: { env: Variables; cwd: string },
): string {
  const inForce = {
    server,
    pools: pools.map(({ origins: _, template: { settings: template }, instances, ...pool }) => ({
      ...pool,
      template,
      instances: instances.map(({ id, alias, settings }) => ({ id, alias, settings })),
    })),
  };
  const surroundings = Object.entries(env)
    .filter(([name, value]) => value !== undefined && SURROUNDINGS.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const directory = dependsOnDirectory({ server, pools }) ? cwd : null;
  const text = JSON.stringify([inForce, surroundings, directory]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Relative paths start from the working directory, and profiles on disk are those of its project. */
function dependsOnDirectory({ server, pools }: Pick<PwpoolConfig, 'server' | 'pools'>): boolean {
  const all = pools.flatMap(({ template, instances }) => [template, ...instances]);
  const keepsProfiles = all.some(({ settings }) => !settings.isolated);
  return keepsProfiles || [server, ...all.map(({ settings }) => settings)].some(hasRelativePath);
}

function hasRelativePath(settings: object): boolean {
  return Object.entries(settings).some(
    ([name, value]) => PATH_SETTINGS.has(name) && typeof value === 'string' && !isAbsolute(value),
  );
}
