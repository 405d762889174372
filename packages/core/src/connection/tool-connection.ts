import type { CallToolResult, Tool } from '@modelcontextprotocol/client';

export type ToolArguments = Readonly<Record<string, unknown>>;
export type { CallToolResult as ToolResult, Tool };

/** The tools of one browser context: what an instance offers, whatever driver it has. */
export interface ToolConnection extends AsyncDisposable {
  /**
   * Runs one tool. The signal only stops the waiting; a driver may be unable to stop what the browser does.
   * A fault of the tool itself is a result with `isError`, not an exception.
   */
  callTool(name: string, args: ToolArguments, signal: AbortSignal): Promise<CallToolResult>;
}
