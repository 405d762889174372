import type { ServerSettings } from '../config/model.js';
import { nearest } from '../config/suggest.js';
import { PwpoolError } from '../errors.js';
import { type ToolTraits, traitsOf } from '../upstream/tool-table.js';
import { refusalOfUnsafe } from '../upstream/unsafe-tool.js';

/** What does in the compact toolset what a tool of upstream's does. */
const COMPACT_NAMES: Readonly<Record<string, string>> = {
  browser_evaluate: 'browser_execute_js',
  browser_take_screenshot: 'browser_screenshot',
  browser_console_messages: 'browser_console_logs',
  browser_network_requests: 'browser_console_logs with network',
  browser_press_key: 'browser_type with pressEnter',
  browser_fill_form: 'browser_type',
};

/**
 * The error for a tool that is not on offer.
 * @param offered the names that would do
 */
export function toolNotFound(
  name: string,
  offered: readonly string[],
  toolset: ServerSettings['toolset'] = 'playwright',
): PwpoolError {
  if (toolset === 'compact') {
    const instead = COMPACT_NAMES[name];
    return new PwpoolError('TOOL_NOT_FOUND', `Tool '${name}' not found.`, {
      hint: instead === undefined ? whatWasMeant(name, offered) : `Use ${instead}.`,
      details: { tool: name },
    });
  }
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
