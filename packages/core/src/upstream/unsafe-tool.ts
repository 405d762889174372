import { PwpoolError } from '../errors.js';
import { traitsOf } from './tool-table.js';

/** The error for a tool that runs code in the server itself, where that is not allowed; `undefined` for all others. */
export function refusalOfUnsafe(tool: string): PwpoolError | undefined {
  if (!traitsOf(tool)?.unsafe) return undefined;
  return new PwpoolError('TOOL_NOT_FOUND', `Tool '${tool}' is off.`, {
    hint: 'It runs code in the server itself. PW_MCP_PROXY_ALLOW_UNSAFE_CODE=true turns it on; browser_evaluate runs code in the page.',
    details: { tool },
  });
}
