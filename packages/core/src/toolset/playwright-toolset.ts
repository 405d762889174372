import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Capability } from '../config/capabilities.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { listEmbeddedTools } from '../upstream/embedded-tools.js';
import { type ToolTraits, traitsOf } from '../upstream/tool-table.js';

interface CheckedTool {
  tool: Tool;
  validate: ValidateFunction;
}

/** Upstream's own browser tools, with their arguments checked before any browser is taken. */
export class PlaywrightToolset {
  readonly #tools: ReadonlyMap<string, CheckedTool>;

  private constructor(tools: readonly Tool[]) {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    this.#tools = new Map(
      tools.map((tool) => [tool.name, { tool, validate: ajv.compile(tool.inputSchema) }]),
    );
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
      tools.filter(({ name }) => options.allowUnsafeCode || !traitsOf(name)?.unsafe),
    );
  }

  list(): Tool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /**
   * Checks a call before it costs anything.
   * @throws PwpoolError `TOOL_NOT_FOUND`, `INVALID_ARGUMENTS` with the names and types expected
   */
  check(name: string, args: ToolArguments): void {
    const found = this.#tools.get(name);
    if (!found) throw toolNotFound(name, [...this.#tools.keys()]);
    if (!found.validate(args)) throw invalidArguments(found.tool, found.validate.errors ?? []);
  }
}

export function toolNotFound(name: string, valid: readonly string[]): PwpoolError {
  const traits = traitsOf(name);
  return new PwpoolError('TOOL_NOT_FOUND', `Tool '${name}' ${traits ? 'is off' : 'not found'}.`, {
    hint: traits ? howToTurnOn(traits) : `Use one of: ${valid.join(', ')}.`,
    details: { tool: name },
  });
}

function howToTurnOn({ unsafe, capability }: ToolTraits): string {
  return unsafe
    ? 'It runs code in the server itself. PW_MCP_PROXY_ALLOW_UNSAFE_CODE=true turns it on; browser_evaluate runs code in the page.'
    : `It is one of the group '${capability}', which this server offers when its operator adds it to PW_MCP_PROXY_CAPS.`;
}

function invalidArguments(tool: Tool, errors: readonly ErrorObject[]): PwpoolError {
  const problems = errors.map(describe);
  const expected = Object.keys(tool.inputSchema.properties ?? {});
  const required = tool.inputSchema.required ?? [];
  return new PwpoolError('INVALID_ARGUMENTS', `Invalid arguments for ${tool.name}: ${problems.join('; ')}.`, {
    hint:
      expected.length === 0
        ? `${tool.name} takes no arguments.`
        : `It takes: ${expected.map((key) => (required.includes(key) ? key : `${key} (optional)`)).join(', ')}.`,
    details: { tool: tool.name, problems },
  });
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `unknown argument '${String(params['additionalProperty'])}'`;
  if (keyword === 'required') return `'${String(params['missingProperty'])}' is missing`;
  const where = instancePath === '' ? 'the arguments' : `'${instancePath.slice(1)}'`;
  const allowed = keyword === 'enum' ? `: ${(params['allowedValues'] as unknown[]).join(', ')}` : '';
  return `${where} ${message ?? 'is not valid'}${allowed}`;
}
