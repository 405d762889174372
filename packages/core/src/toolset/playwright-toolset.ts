import type { Capability } from '../config/capabilities.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { splitView, withView } from '../snapshot/view-arguments.js';
import { asCallable } from '../upstream/input-schema.js';
import { TOOL_LIST } from '../upstream/tool-list.js';
import { isOffered, traitsOf } from '../upstream/tool-table.js';
import { ArgumentChecks, type CheckedArguments } from './argument-check.js';
import { ToolChoice, type ToolPatterns } from './tool-choice.js';
import { toolNotFound } from './tool-not-found.js';
import type { Toolset } from './toolset.js';

/** Which tools are offered; a `ServerSettings` says it. */
export interface ToolsetOptions extends ToolPatterns {
  allowUnsafeCode: boolean;
  caps?: readonly Capability[] | undefined;
}

/** Upstream's own browser tools, with their arguments checked before any browser is taken. */
export class PlaywrightToolset implements Toolset {
  readonly name = 'playwright';
  readonly choice: ToolChoice;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #checks = new ArgumentChecks();

  private constructor(tools: readonly Tool[], choice: ToolChoice) {
    this.choice = choice;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /**
   * Upstream's core tools, those of the groups in `caps`, and what runs code in the server only if that is allowed; of these
   * the ones that `toolsAllow` and `toolsDeny` leave. Needs neither a browser nor Playwright.
   * @throws PwpoolError `CONFIG_INVALID` for a pattern that matches no tool
   */
  static async load(options: ToolsetOptions): Promise<PlaywrightToolset> {
    const { allowUnsafeCode, caps = [] } = options;
    const offered = TOOL_LIST.filter(
      ({ name }) => isOffered(name, caps) && (allowUnsafeCode || !traitsOf(name)?.unsafe),
    );
    const names = offered.map(({ name }) => name);
    const choice = await ToolChoice.load(options, names);
    const chosen = offered.filter(({ name }) => choice.has(name));
    return new PlaywrightToolset(
      chosen.map((tool) => withView(asCallable(tool))),
      choice,
    );
  }

  list(): Tool[] {
    return [...this.#tools.values()];
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  check(name: string, args: ToolArguments): CheckedArguments {
    const tool = this.#tools.get(name);
    if (!tool) throw this.choice.refusalOf(name) ?? toolNotFound(name, [...this.#tools.keys()]);
    const checked = this.#checks.check(tool, args);
    splitView(name, checked.args);
    return checked;
  }
}
