import {
  type PlaywrightToolset,
  PwpoolError,
  type Tool,
  type ToolArguments,
  type ToolResult,
} from '@pwpool/core';
import { toolNotFound } from '@pwpool/core/internal';
import type { Call, ClientGateway } from './client-gateway.js';
import { errorResult, jsonResult } from './result.js';
import { withTarget } from './target.js';
import { browserPoolStatus } from './tools/browser-pool-status.js';
import { describeIssue } from './tools/input-issue.js';
import { describePoolTool, type PoolTool } from './tools/pool-tool.js';
import {
  closeAllSessions,
  closeSession,
  listSessions,
  setCurrentSession,
  startBrowser,
  startSession,
} from './tools/sessions.js';

const POOL_TOOLS: readonly PoolTool[] = [
  browserPoolStatus,
  startBrowser,
  startSession,
  listSessions,
  setCurrentSession,
  closeSession,
  closeAllSessions,
];

/** The one path of every call: find the tool, check the arguments, run it, render the answer. */
export class Dispatcher {
  readonly #gateway: ClientGateway;
  readonly #toolset: PlaywrightToolset;

  constructor(gateway: ClientGateway, toolset: PlaywrightToolset) {
    this.#gateway = gateway;
    this.#toolset = toolset;
  }

  list(): Tool[] {
    return [
      ...POOL_TOOLS.filter(({ isListed }) => isListed ?? true).map(describePoolTool),
      ...this.#toolset.list().map(withTarget),
    ];
  }

  /** Runs a tool. Every failure is a result with `isError`: a model reads results, not protocol errors. */
  async call(name: string, args: ToolArguments, call: Call): Promise<ToolResult> {
    try {
      const tool = POOL_TOOLS.find((each) => each.name === name);
      if (tool) return jsonResult(await tool.handle(parse(tool, args), this.#gateway, call));
      if (!this.#toolset.has(name)) throw toolNotFound(name, this.#names());
      return await this.#gateway.callBrowserTool(name, args, call);
    } catch (error) {
      return errorResult(error);
    }
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
