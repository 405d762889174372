import { type CallOptions, PwpoolError, type Tool, type ToolArguments, type ToolResult } from '@pwpool/core';
import { toolNotFound, withLine } from '@pwpool/core/internal';
import { offeredTools, offerOf } from './offered-tools.js';
import { callResult, errorResult, jsonResult, withIgnored } from './result.js';
import { shorten, sizeInJson } from './shorten.js';
import { isEmpty, splitTarget } from './target.js';
import { describeIssue } from './tools/input-issue.js';
import type { PoolTool, PoolToolOptions, PoolToolParts } from './tools/pool-tool.js';
import { POOL_TOOLS } from './tools/pool-tools.js';
import { reportWait, type SendProgress } from './wait-progress.js';

const FOR_ITSELF_ALONE =
  'This call had a browser for itself alone. start_browser returns a sessionId that keeps one: pass it with every call.';

/** Bytes for what is told of an answer that was shortened. */
const TOLD_BYTES = 1024;

/** What comes with one request beside the tool and its arguments. */
export interface RequestOptions {
  signal: AbortSignal;
  /** Present when the client asked for progress. */
  sendProgress?: SendProgress | undefined;
}

/** One client's requests: finds the tool, checks the arguments, has it run, and renders the answer. */
export class Dispatcher {
  readonly #parts: PoolToolParts;
  /** The client has been told what no restored state brings back. */
  #knowsRestoring = false;

  constructor(parts: PoolToolParts) {
    this.#parts = parts;
  }

  list(): readonly Tool[] {
    return offeredTools(offerOf(this.#parts, this.#parts.client.principal));
  }

  /** Runs a tool. Every failure is a result with `isError`: a model reads results, not protocol errors. */
  async call(
    name: string,
    args: ToolArguments,
    { signal, sendProgress }: RequestOptions,
  ): Promise<ToolResult> {
    const options = { signal, ...(sendProgress ? this.#progress(sendProgress) : {}) };
    try {
      this.#parts.calls.admit(this.#parts.client);
      const tool = POOL_TOOLS.find((each) => each.name === name);
      if (tool) return await this.#callPoolTool(tool, args, options);
      return await this.#callBrowserTool(name, args, options);
    } catch (error) {
      return errorResult(error);
    }
  }

  /** What goes on in a call, as the progress of its request: a wait first, then what is done of it. */
  #progress(send: SendProgress): Pick<PoolToolOptions, 'onWait' | 'onProgress'> {
    let waited = 0;
    return {
      onWait: (wait) =>
        reportWait(wait, this.#parts.pools.clock, (params) => {
          waited = params.progress;
          send(params);
        }),
      onProgress: (done, total) =>
        send({ progress: waited + done, total: waited + total, message: `${done} of ${total}` }),
    };
  }

  async #callPoolTool(
    tool: PoolTool,
    args: ToolArguments,
    options: Omit<PoolToolOptions, 'attach'>,
  ): Promise<ToolResult> {
    const refusal = this.#parts.toolset.choice.refusalOf(tool.aliasOf ?? tool.name);
    if (refusal) throw refusal;
    const attachments: ToolResult['content'] = [];
    const attach: PoolToolOptions['attach'] = (content) => attachments.push(...content);
    const answer = await tool.handle(parse(tool, args), this.#parts, { ...options, attach });
    return jsonResult(await this.#fit(tool, answer, attach), attachments);
  }

  /** An answer that is larger than `ANSWER_MAX_KB` has the beginnings of its lists, and links all of it. */
  async #fit(
    { name }: PoolTool,
    answer: Record<string, unknown>,
    attach: PoolToolOptions['attach'],
  ): Promise<Record<string, unknown>> {
    const { client, calls, pools } = this.#parts;
    const limit = pools.config.server.answerMaxKb * 1024;
    if (sizeInJson(answer) <= limit) return answer;
    const { answer: shown, omitted } = shorten(answer, limit - TOLD_BYTES);
    const whole = { client, pool: pools.pool().name, name, limit: 0 };
    const [all] = await calls.fit([JSON.stringify(answer)], whole);
    attach(all?.links ?? []);
    const links = all && all.links.length > 0 ? { all: all.text } : {};
    return { ...shown, omitted, ...links };
  }

  async #callBrowserTool(name: string, all: ToolArguments, options: CallOptions): Promise<ToolResult> {
    const { client, toolset, calls } = this.#parts;
    if (!toolset.has(name))
      throw toolset.choice.refusalOf(name) ?? toolNotFound(name, this.#names(), toolset.name);
    const { target, args: given } = splitTarget(all);
    const { args, ignored } = toolset.check(name, given);
    const answer = await calls.run({ client, tool: name, args, target, ...options });
    const named = target.sessionId !== undefined;
    const result = callResult(answer, { named, knowsRestoring: this.#knowsRestoring });
    this.#knowsRestoring ||= answer.session?.restored !== undefined;
    const alone = client.connected === false && isEmpty(target);
    return withIgnored(alone ? withLine(result, FOR_ITSELF_ALONE) : result, name, ignored);
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
