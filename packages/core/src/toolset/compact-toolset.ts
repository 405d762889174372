import type { CompactTool } from '../compact/compact-tool.js';
import { COMPACT_TOOLS } from '../compact/tools/all.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { ArgumentChecks, type CheckedArguments } from './argument-check.js';
import { ToolChoice, type ToolPatterns } from './tool-choice.js';
import { toolNotFound } from './tool-not-found.js';
import type { Toolset } from './toolset.js';

/** The eight tools of `TOOLSET=compact`, with their arguments checked before any browser is taken. */
export class CompactToolset implements Toolset {
  readonly name = 'compact';
  readonly choice: ToolChoice;
  readonly #tools: ReadonlyMap<string, CompactTool>;
  readonly #checks = new ArgumentChecks();

  private constructor(choice: ToolChoice) {
    this.choice = choice;
    this.#tools = new Map([...COMPACT_TOOLS].filter(([name]) => choice.has(name)));
  }

  /**
   * Those of the eight that the patterns leave.
   * @throws PwpoolError `CONFIG_INVALID` for a pattern that matches no tool
   */
  static async load(patterns: ToolPatterns): Promise<CompactToolset> {
    const names = [...COMPACT_TOOLS.keys()];
    return new CompactToolset(await ToolChoice.load(patterns, names, names));
  }

  list(): Tool[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  check(name: string, args: ToolArguments): CheckedArguments {
    const tool = this.#tools.get(name);
    if (!tool) throw this.choice.refusalOf(name) ?? toolNotFound(name, [...this.#tools.keys()], this.name);
    const checked = this.#checks.check(tool.definition, args);
    tool.check(checked.args);
    return checked;
  }
}
