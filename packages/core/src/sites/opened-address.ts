import type { ToolArguments } from '../connection/tool-connection.js';

/**
 * The address that a call of a browser tool is going to open, as it was given; `undefined` if it opens none. What a page
 * opens by itself, or after a click, is not known before.
 */
export function openedAddress(tool: string, args: ToolArguments): string | undefined {
  const opens = tool === 'browser_navigate' || (tool === 'browser_tabs' && args['action'] === 'new');
  return opens && typeof args['url'] === 'string' ? args['url'] : undefined;
}
