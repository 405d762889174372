import type { InstanceConfig } from '../config/model.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { refusalOfUnsafe } from '../upstream/unsafe-tool.js';
import { namesFile, type Workspace } from '../upstream/workspace.js';

/** What the calls of a holder are bound to. */
export interface CallTerms {
  config: InstanceConfig;
  workspace: Workspace;
  allowUnsafeCode: boolean;
  /** Aborts when the lease is over. */
  ended: AbortSignal;
  /** Aborts when it is taken back, with the reason. */
  revoked: AbortSignal;
}

/**
 * Makes a call of a holder, whose files lie in its workspace. Throws as `Lease.callTool`.
 * @param call runs the tool in the browser
 */
export async function callPlaced(
  { config, workspace, allowUnsafeCode, ended, revoked }: CallTerms,
  name: string,
  args: ToolArguments,
  call: (args: ToolArguments) => Promise<ToolResult>,
): Promise<ToolResult> {
  ended.throwIfAborted();
  const refusal = allowUnsafeCode ? undefined : refusalOfUnsafe(name);
  if (refusal) throw refusal;
  const anywhere = config.settings.allowUnrestrictedFileAccess;
  const placed = namesFile(name, args) ? await workspace.place(name, args, anywhere) : { args };
  ended.throwIfAborted();
  const result = await call(placed.args).catch((error: unknown) => {
    // The pool knows what comes after a loss, the driver does not.
    const lost = error instanceof PwpoolError && error.code === 'INSTANCE_CRASHED';
    throw lost && revoked.aborted ? revoked.reason : error;
  });
  if (placed.note === undefined || result.isError) return result;
  return { ...result, content: [...result.content, { type: 'text', text: placed.note }] };
}
