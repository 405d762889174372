import { CONTEXT_KEYS } from './context-keys.js';
import { parseEndpoint } from './endpoint.js';
import { driverOf } from './instance-driver.js';
import type { InstanceConfig, Origin, PwpoolConfig } from './model.js';
import { SERVER_KEYS } from './server-keys.js';
import { TOOL_KEYS } from './tool-keys.js';
import type { Violation } from './violations.js';

/** What only Playwright's own tools heed. */
const OF_PLAYWRIGHTS_TOOLS = [
  ...Object.values(TOOL_KEYS),
  CONTEXT_KEYS.INIT_SCRIPT,
  CONTEXT_KEYS.INIT_PAGE,
] as const;
const OF_PLAYWRIGHTS_SERVER = [
  SERVER_KEYS.CAPS,
  SERVER_KEYS.ALLOW_UNSAFE_CODE,
  SERVER_KEYS.TEST_ID_ATTRIBUTE,
] as const;

/** What the toolset needs, and what means nothing to it. */
export function checkToolset(config: PwpoolConfig): Violation[] {
  const instances = config.pools.flatMap((pool) => pool.instances);
  const remote = instances.filter(hasRemoteTools);
  if (config.server.toolset !== 'compact') return externalOfRemote(remote);
  return [...compactOfRemote(remote, config.origins.toolset), ...unusedByCompact(config, instances)];
}

/** Whether its tools run in another process, out of pwpool's reach. */
function hasRemoteTools(instance: InstanceConfig): boolean {
  const driver = driverOf(instance);
  if (driver !== 'endpoint') return driver === 'process';
  const kind = parseEndpoint(instance.settings.endpoint ?? '')?.kind;
  return kind === 'mcp-http' || kind === 'mcp-sse';
}

function compactOfRemote(remote: readonly InstanceConfig[], toolset: Origin): Violation[] {
  if (remote.length === 0) return [];
  return [
    {
      code: 'REMOTE_TOOLS',
      message: `TOOLSET=compact is not for ${placesOf(remote)}: the tools there are those of another server`,
      variable: listed([toolset, ...remote.flatMap(driverOrigins)]),
      fix: 'Remove TOOLSET, or use browsers that pwpool drives itself: DRIVER=embedded, or ENDPOINT with ws:// or http://.',
    },
  ];
}

function externalOfRemote(remote: readonly InstanceConfig[]): Violation[] {
  const closed = remote.filter(({ settings }) => settings.allowExternal === false);
  if (closed.length === 0) return [];
  return [
    {
      code: 'REMOTE_TOOLS',
      message: `ALLOW_EXTERNAL=false cannot be kept for ${placesOf(closed)}: the browsers there are driven by another server`,
      variable: listed(closed.map(({ origins }) => origins.allowExternal)),
      fix: 'Remove it there, or use browsers that pwpool drives itself: DRIVER=embedded, or ENDPOINT with ws:// or http://.',
    },
  ];
}

function unusedByCompact(
  { origins: server }: PwpoolConfig,
  instances: readonly InstanceConfig[],
): Violation[] {
  const set = [
    ...OF_PLAYWRIGHTS_SERVER.map(({ setting }) => server[setting]),
    ...instances.flatMap(({ origins }) => OF_PLAYWRIGHTS_TOOLS.map(({ setting }) => origins[setting])),
  ].filter(({ level }) => level !== 'built-in');
  if (set.length === 0) return [];
  return [
    {
      code: 'UNUSED_SETTING',
      message: `TOOLSET=compact takes no settings of Playwright's own tools: ${listed(set)}`,
      variable: listed(set),
      fix: 'Remove them, or TOOLSET.',
    },
  ];
}

function driverOrigins({ origins }: InstanceConfig): Origin[] {
  return [origins.driver, origins.wslWindows, origins.endpoint];
}

function placesOf(instances: readonly InstanceConfig[]): string {
  return `pool ${[...new Set(instances.map(({ pool }) => pool))].join(', ')}`;
}

/** Each once; a built-in default has no name. */
function listed(origins: readonly Origin[]): string {
  return [...new Set(origins.map(({ name }) => name))].filter((name) => name !== '').join(', ');
}
