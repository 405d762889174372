import { runStdio } from '@pwpool/mcp';

/** Serves one MCP client over stdio, and ends the process with it. */
export async function mcp(): Promise<never> {
  return await runStdio();
}
