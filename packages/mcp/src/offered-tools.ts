import type { BrowserPools, ServerSettings, Tool, Toolset } from '@pwpool/core';
import type { Principal } from '@pwpool/core/internal';
import { concise, withSizeOfAnswer } from './concise-tool.js';
import { withTarget } from './target.js';
import { describePoolTool, type Offer } from './tools/pool-tool.js';
import { POOL_TOOLS } from './tools/pool-tools.js';

/** The lists of one toolset under the settings that held when they were made, by what clients may choose from. */
interface Made {
  readonly settings: ServerSettings;
  readonly lists: Map<string, readonly Tool[]>;
}

const made = new WeakMap<Toolset, Made>();

/** What a client is offered of pools that are there. */
export function offerOf(
  { toolset, pools }: { toolset: Toolset; pools: BrowserPools },
  principal: Principal | undefined,
): Offer {
  return { toolset, settings: pools.config.server, pools: pools.names(principal) };
}

/**
 * What `tools/list` shows a client. Clients that are offered the same have one list: it is large, and who can come back to an
 * answer that was cut has the answer kept.
 */
export function offeredTools(offer: Offer): readonly Tool[] {
  const choices = JSON.stringify(POOL_TOOLS.map((tool) => tool.choices?.(offer)));
  const { lists } = madeFor(offer);
  const list = lists.get(choices) ?? listFor(offer);
  lists.set(choices, list);
  return list;
}

function madeFor({ toolset, settings }: Offer): Made {
  const known = made.get(toolset);
  if (known?.settings === settings) return known;
  const fresh: Made = { settings, lists: new Map() };
  made.set(toolset, fresh);
  return fresh;
}

function listFor(offer: Offer): Tool[] {
  const { toolset, settings } = offer;
  const own = POOL_TOOLS.filter((tool) => !tool.aliasOf && toolset.choice.has(tool.name));
  return [...own.map((tool) => describePoolTool(tool, offer)), ...toolset.list().map(withTarget)].map(
    (tool) => withSizeOfAnswer(concise(tool), settings),
  );
}
