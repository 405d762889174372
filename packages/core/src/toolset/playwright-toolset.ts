import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Capability } from '../config/capabilities.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { listEmbeddedTools } from '../upstream/embedded-tools.js';
import { asCallable } from '../upstream/input-schema.js';
import { traitsOf } from '../upstream/tool-table.js';
import { ArgumentCheck, type CheckedArguments } from './argument-check.js';
import { toolNotFound } from './tool-not-found.js';

interface CheckedTool {
  tool: Tool;
  check: ArgumentCheck;
}

/** Upstream's own browser tools, with their arguments checked before any browser is taken. */
export class PlaywrightToolset {
  readonly #tools: ReadonlyMap<string, CheckedTool>;

  private constructor(tools: readonly Tool[]) {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    this.#tools = new Map(tools.map((tool) => [tool.name, { tool, check: new ArgumentCheck(tool, ajv) }]));
  }

  /**
   * Asks upstream for its list: the core tools, those of the groups in `caps`, and what runs code in the server only if
   * that is allowed. Needs no browser.
   */
  static async load(options: {
    allowUnsafeCode: boolean;
    caps?: readonly Capability[] | undefined;
  }): Promise<PlaywrightToolset> {
    const tools = await listEmbeddedTools(options.caps ?? []);
    return new PlaywrightToolset(
      tools.filter(({ name }) => options.allowUnsafeCode || !traitsOf(name)?.unsafe).map(asCallable),
    );
  }

  list(): Tool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /**
   * Checks a call before it costs anything. Arguments that the tool does not know are left out, and told.
   * @throws PwpoolError `TOOL_NOT_FOUND`, `INVALID_ARGUMENTS` with the names and types expected
   */
  check(name: string, args: ToolArguments): CheckedArguments {
    const found = this.#tools.get(name);
    if (!found) throw toolNotFound(name, [...this.#tools.keys()]);
    return found.check.check(args);
  }
}
