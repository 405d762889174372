import type { ServerSettings, Tool, Toolset } from '@pwpool/core';
import { concise, withSizeOfAnswer } from './concise-tool.js';
import { withTarget } from './target.js';
import { describePoolTool, type PoolToolParts } from './tools/pool-tool.js';
import { POOL_TOOLS } from './tools/pool-tools.js';

/** The lists of one toolset under the settings that held when they were made, by what clients may choose from. */
interface Made {
  readonly settings: ServerSettings;
  readonly lists: Map<string, readonly Tool[]>;
}

const made = new WeakMap<Toolset, Made>();

/**
 * What `tools/list` shows a client. Clients that are offered the same have one list: it is large, and who can come back to an
 * answer that was cut has the answer kept.
 */
export function offeredTools(parts: PoolToolParts): readonly Tool[] {
  const choices = JSON.stringify(POOL_TOOLS.map((tool) => tool.choices?.(parts)));
  const { lists, settings } = madeFor(parts);
  const list = lists.get(choices) ?? listFor(parts, settings);
  lists.set(choices, list);
  return list;
}

function madeFor({ toolset, pools }: PoolToolParts): Made {
  const settings = pools.config.server;
  const known = made.get(toolset);
  if (known?.settings === settings) return known;
  const fresh: Made = { settings, lists: new Map() };
  made.set(toolset, fresh);
  return fresh;
}

function listFor(parts: PoolToolParts, settings: ServerSettings): Tool[] {
  const { toolset } = parts;
  const own = POOL_TOOLS.filter((tool) => !tool.aliasOf && toolset.choice.has(tool.name));
  return [...own.map((tool) => describePoolTool(tool, parts)), ...toolset.list().map(withTarget)].map(
    (tool) => withSizeOfAnswer(concise(tool), settings),
  );
}
