import {
  type CallOptions,
  type PlaywrightToolset,
  PwpoolError,
  type Tool,
  type ToolArguments,
  type ToolResult,
} from '@pwpool/core';
import { toolNotFound } from '@pwpool/core/internal';
import { callResult, errorResult, jsonResult, withIgnored } from './result.js';
import { splitTarget, withTarget } from './target.js';
import { browserPoolStatus } from './tools/browser-pool-status.js';
import { describeIssue } from './tools/input-issue.js';
import { describePoolTool, type PoolTool, type PoolToolParts } from './tools/pool-tool.js';
import {
  closeAllSessions,
  closeSession,
  listSessions,
  setCurrentSession,
  startBrowser,
  startSession,
} from './tools/sessions.js';
import { reportWait, type SendProgress } from './wait-progress.js';

const POOL_TOOLS: readonly PoolTool[] = [
  browserPoolStatus,
  startBrowser,
  startSession,
  listSessions,
  setCurrentSession,
  closeSession,
  closeAllSessions,
];

export interface DispatcherParts extends PoolToolParts {
  toolset: PlaywrightToolset;
}

/** What comes with one request beside the tool and its arguments. */
export interface RequestOptions {
  signal: AbortSignal;
  /** Present when the client asked for progress. */
  sendProgress?: SendProgress | undefined;
}

/** One client's requests: finds the tool, checks the arguments, has it run, and renders the answer. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** The client has been told what no restored state brings back. */
  #knowsRestoring = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  list(): Tool[] {
    return [
      ...POOL_TOOLS.filter(({ isListed }) => isListed ?? true).map(describePoolTool),
      ...this.#parts.toolset.list().map(withTarget),
    ];
  }

  /** Runs a tool. Every failure is a result with `isError`: a model reads results, not protocol errors. */
  async call(
    name: string,
    args: ToolArguments,
    { signal, sendProgress }: RequestOptions,
  ): Promise<ToolResult> {
    const { clock } = this.#parts.pools;
    const options: CallOptions = {
      signal,
      ...(sendProgress ? { onWait: (wait) => reportWait(wait, clock, sendProgress) } : {}),
    };
    try {
      const tool = POOL_TOOLS.find((each) => each.name === name);
      if (tool) return jsonResult(await tool.handle(parse(tool, args), this.#parts, options));
      return await this.#callBrowserTool(name, args, options);
    } catch (error) {
      return errorResult(error);
    }
  }

  async #callBrowserTool(name: string, all: ToolArguments, options: CallOptions): Promise<ToolResult> {
    const { client, toolset, calls } = this.#parts;
    if (!toolset.has(name)) throw toolNotFound(name, this.#names());
    const { target, args: given } = splitTarget(all);
    const { args, ignored } = toolset.check(name, given);
    const answer = await calls.run({ client, tool: name, args, target, ...options });
    const named = target.sessionId !== undefined;
    const result = callResult(answer, { named, knowsRestoring: this.#knowsRestoring });
    this.#knowsRestoring ||= answer.session?.restored !== undefined;
    return withIgnored(result, name, ignored);
  }

  #names(): string[] {
    return this.list().map(({ name }) => name);
  }
}

function parse(tool: PoolTool, args: ToolArguments): Record<string, unknown> {
  const parsed = tool.input.safeParse(args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, args));
  const expected = Object.keys(tool.input.shape);
  throw new PwpoolError('INVALID_ARGUMENTS', `Invalid arguments for ${tool.name}: ${problems.join('; ')}.`, {
    hint: expected.length > 0 ? `It takes: ${expected.join(', ')}.` : `${tool.name} takes no arguments.`,
    details: { tool: tool.name, problems },
  });
}
