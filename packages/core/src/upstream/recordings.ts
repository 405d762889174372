import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';

type CallTool = (name: string, args: ToolArguments, signal?: AbortSignal) => Promise<ToolResult>;

/** The lines by which upstream links the files of a trace. */
const TRACE_LINKS = /\n- \[(?:Action log|Trace|Network log|Resources)[^\]]*\]\([^)\n]*\)/g;

/**
 * What of upstream's traces, videos and routes goes wrong over a context that upstream did not launch.
 *
 * Upstream takes it for granted that Playwright writes a trace below the output directory, as in browsers that it launches
 * itself. Here the browser is several holders', so a trace would lie in its scratch directory, with theirs: it is fetched as
 * one file when it ends. A video that could not begin counts as begun, and stopping it would link a file that is not there.
 */
export class Recordings {
  readonly #callTool: CallTool;
  readonly #context: BrowserContext;
  readonly #outputDir: string;
  /** The name of the trace that is being recorded. */
  #trace: string | undefined;
  #video = false;
  #routed = false;

  constructor(callTool: CallTool, context: BrowserContext, outputDir: string) {
    this.#callTool = callTool;
    this.#context = context;
    this.#outputDir = outputDir;
  }

  async callTool(name: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolResult> {
    switch (name) {
      case 'browser_start_tracing':
        return await this.#startTrace(args, signal);
      case 'browser_stop_tracing':
        return await this.#stopTrace(args, signal);
      case 'browser_start_video':
        return await this.#startVideo(args, signal);
      case 'browser_stop_video':
        this.#video = false;
        break;
      case 'browser_route':
        this.#routed = true;
        break;
    }
    return await this.#callTool(name, args, signal);
  }

  /** Ends what no other connection to this context could end. */
  async stop(): Promise<void> {
    if (this.#routed) await this.#callTool('browser_unroute', {});
    if (this.#trace !== undefined) await this.#callTool('browser_stop_tracing', {});
  }

  async #startTrace(args: ToolArguments, signal: AbortSignal | undefined): Promise<ToolResult> {
    const result = await this.#callTool('browser_start_tracing', args, signal);
    if (result.isError) return result;
    this.#trace = /\/(trace-\d+)\.trace/.exec(textOf(result))?.[1] ?? 'trace';
    return withText(result, (text) => text.replace(TRACE_LINKS, ''));
  }

  async #stopTrace(args: ToolArguments, signal: AbortSignal | undefined): Promise<ToolResult> {
    if (this.#trace === undefined) return await this.#callTool('browser_stop_tracing', args, signal);
    const directory = join(this.#outputDir, 'traces');
    const path = join(directory, `${this.#trace}.zip`);
    this.#trace = undefined;
    await mkdir(directory, { recursive: true });
    await this.#context.tracing.stopChunk({ path });
    const result = await this.#callTool('browser_stop_tracing', args, signal);
    return withText(
      result,
      (text) =>
        `${text.replace(TRACE_LINKS, '')}\n- [Trace](${path}), to open with "npx playwright show-trace"`,
    );
  }

  async #startVideo(args: ToolArguments, signal: AbortSignal | undefined): Promise<ToolResult> {
    const result = await this.#callTool('browser_start_video', args, signal);
    if (!result.isError) this.#video = true;
    else if (!this.#video) await this.#callTool('browser_stop_video', {});
    return result;
  }
}

function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Upstream puts all it has to say into one text. */
function withText(result: ToolResult, change: (text: string) => string): ToolResult {
  const [first, ...rest] = result.content;
  if (result.isError || first?.type !== 'text') return result;
  return { ...result, content: [{ ...first, text: change(first.text) }, ...rest] };
}
