import { nearest } from '../config/suggest.js';
import { PwpoolError } from '../errors.js';
import { type ToolTraits, traitsOf } from '../upstream/tool-table.js';
import { refusalOfUnsafe } from '../upstream/unsafe-tool.js';

/**
 * The error for a tool that is not on offer.
 * @param offered the names that would do
 */
export function toolNotFound(name: string, offered: readonly string[]): PwpoolError {
  const unsafe = refusalOfUnsafe(name);
  if (unsafe) return unsafe;
  const traits = traitsOf(name);
  return new PwpoolError('TOOL_NOT_FOUND', `Tool '${name}' ${traits ? 'is off' : 'not found'}.`, {
    hint: traits ? howToTurnOn(traits) : whatWasMeant(name, offered),
    details: { tool: name },
  });
}

function howToTurnOn({ capability }: ToolTraits): string {
  return `It is one of the group '${capability}', which this server offers when its operator adds it to PW_MCP_PROXY_CAPS.`;
}

/** Names are compared without the word that nearly all of them begin with. */
function whatWasMeant(name: string, offered: readonly string[]): string {
  const word = bare(name);
  const meant =
    offered.find((each) => bare(each) === nearest(word, offered.map(bare))?.name) ??
    offered.find((each) => word.length > 2 && bare(each).includes(word));
  return meant === undefined ? 'Use a name from the list of tools.' : `Did you mean ${meant}?`;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/^browser_/, '');
}
