import { configInvalid, type Violation } from '../config/violations.js';
import { PwpoolError } from '../errors.js';
import { TOOL_NAMES } from '../upstream/tool-table.js';
import { toolNotFound } from './tool-not-found.js';

/** The tools of pwpool's own, in the order of `tools/list`. */
export const OWN_TOOLS = [
  'browser_pool_status',
  'browser_execute_bulk',
  'execute_sequence',
  'start_browser',
  'list_sessions',
  'set_current_session',
  'close_session',
  'close_all_sessions',
] as const;

export type OwnTool = (typeof OWN_TOOLS)[number];

/** `TOOLS_ALLOW` and `TOOLS_DENY`: glob patterns over the names of tools. */
export interface ToolPatterns {
  /** Only these tools; all unless there is one. */
  toolsAllow?: readonly string[] | undefined;
  /** Not these, even if they are allowed. */
  toolsDeny?: readonly string[] | undefined;
}

type Matches = (name: string) => boolean;

/** Which tools, whoever's they are, the configuration lets be listed and called. */
export class ToolChoice {
  readonly #allows: Matches;
  readonly #denies: Matches;
  readonly #known: readonly string[];

  private constructor(allows: Matches, denies: Matches, known: readonly string[]) {
    this.#allows = allows;
    this.#denies = denies;
    this.#known = known;
  }

  /**
   * @param offered the browser tools that would be offered if there were no patterns
   * @param known the browser tools that there could be
   * @throws PwpoolError `CONFIG_INVALID` for a pattern that matches no tool
   */
  static async load(
    patterns: ToolPatterns,
    offered: readonly string[],
    known: readonly string[] = TOOL_NAMES,
  ): Promise<ToolChoice> {
    const { toolsAllow = [], toolsDeny = [] } = patterns;
    const [all, none]: [Matches, Matches] = [() => true, () => false];
    if (toolsAllow.length === 0 && toolsDeny.length === 0) return new ToolChoice(all, none, known);
    const { default: picomatch } = await import('picomatch');
    const matcher = (globs: string | string[]): Matches => {
      // It takes a second argument, which `find` and `some` would give it.
      const matches = picomatch(globs);
      return (name) => matches(name);
    };
    const violations = [
      ...toolsAllow.flatMap((pattern) => faultsOf('TOOLS_ALLOW', pattern, matcher(pattern), offered, known)),
      ...toolsDeny.flatMap((pattern) => faultsOf('TOOLS_DENY', pattern, matcher(pattern), known, known)),
    ];
    if (violations.length > 0) throw configInvalid(violations);
    const allows = toolsAllow.length === 0 ? all : matcher([...toolsAllow]);
    return new ToolChoice(allows, matcher([...toolsDeny]), known);
  }

  has(name: string): boolean {
    return this.#allows(name) && !this.#denies(name);
  }

  /** The error for a tool that there is, and that the configuration keeps back; `undefined` for all others. */
  refusalOf(name: string): PwpoolError | undefined {
    if (this.has(name) || !(this.#known.includes(name) || isOwn(name))) return undefined;
    const why = this.#denies(name) ? 'TOOLS_DENY names it' : 'TOOLS_ALLOW does not name it';
    return new PwpoolError('TOOL_NOT_FOUND', `Tool '${name}' is denied.`, {
      hint: `The configuration of this server denies it (${why}). Use another tool, or tell the user.`,
      details: { tool: name },
    });
  }
}

function isOwn(name: string): boolean {
  return OWN_TOOLS.some((own) => own === name);
}

/** A pattern that has no effect is a slip. */
function faultsOf(
  key: 'TOOLS_ALLOW' | 'TOOLS_DENY',
  pattern: string,
  matches: Matches,
  browserTools: readonly string[],
  known: readonly string[],
): Violation[] {
  if ([...browserTools, ...OWN_TOOLS].some(matches)) return [];
  const off = known.find(matches);
  const { hint = '' } = toolNotFound(off ?? pattern.replaceAll('*', ''), [...known, ...OWN_TOOLS]);
  return [
    {
      code: 'UNKNOWN_TOOL',
      message:
        off === undefined ? `${key} names no tool: ${pattern}` : `${key} names a tool that is off: ${off}`,
      variable: `PW_MCP_PROXY_${key}`,
      fix: hint,
    },
  ];
}
