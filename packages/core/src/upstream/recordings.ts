import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { BrowserContext } from 'playwright';
import { textOf, withText } from '../connection/answer-text.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { traitsOf } from './tool-table.js';

type CallTool = (name: string, args: ToolArguments, signal?: AbortSignal) => Promise<ToolResult>;

interface Folders {
  outputDir: string;
  /** What links are relative to; absolute ones if left out. */
  relativeTo?: string | undefined;
}

/** The lines by which upstream links the files of a trace. */
const TRACE_LINKS = /\n- \[(?:Action log|Trace|Network log|Resources)[^\]]*\]\([^)\n]*\)/g;

/**
 * What of upstream's traces and videos goes wrong over a context that upstream did not launch.
 *
 * Upstream takes it for granted that Playwright writes a trace below the output directory, as in browsers that it
 * launches itself. Here the browser is several holders', so a trace would lie in its scratch directory, with theirs: it
 * is fetched as one file when it ends. A video that could not begin counts as begun, and stopping it would link a file
 * that is not there.
 */
export class Recordings {
  readonly #callTool: CallTool;
  readonly #context: BrowserContext;
  readonly #folders: Folders;
  /** The tools that end what is going on. */
  readonly #undoing = new Set<string>();
  /** The name of the trace that is being recorded. */
  #trace: string | undefined;

  constructor(callTool: CallTool, context: BrowserContext, folders: Folders) {
    this.#callTool = callTool;
    this.#context = context;
    this.#folders = folders;
  }

  async callTool(name: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolResult> {
    if (name === 'browser_stop_tracing' && this.#trace !== undefined) {
      return await this.#stopTrace(this.#trace, args, signal);
    }
    const result = await this.#callTool(name, args, signal);
    const undoing = traitsOf(name)?.undoneBy;
    if (undoing === undefined) return result;
    if (result.isError) {
      if (name === 'browser_start_video' && !this.#undoing.has(undoing)) await this.#callTool(undoing, {});
      return result;
    }
    this.#undoing.add(undoing);
    if (name !== 'browser_start_tracing') return result;
    this.#trace = /\/(trace-\d+)\.trace/.exec(textOf(result))?.[1] ?? 'trace';
    return withText(result, (text) => text.replace(TRACE_LINKS, ''));
  }

  /** Ends what no other connection to this context could end. */
  async stop(): Promise<void> {
    for (const tool of this.#undoing) await this.#callTool(tool, {});
  }

  async #stopTrace(name: string, args: ToolArguments, signal: AbortSignal | undefined): Promise<ToolResult> {
    this.#trace = undefined;
    const { outputDir, relativeTo } = this.#folders;
    const directory = join(outputDir, 'traces');
    const path = join(directory, `${name}.zip`);
    const link = relativeTo === undefined ? path : relative(relativeTo, path);
    await mkdir(directory, { recursive: true });
    await this.#context.tracing.stopChunk({ path });
    const result = await this.#callTool('browser_stop_tracing', args, signal);
    if (result.isError) return result;
    return withText(
      result,
      (text) =>
        `${text.replace(TRACE_LINKS, '')}\n- [Trace](${link}), to open with "npx playwright show-trace"`,
    );
  }
}
