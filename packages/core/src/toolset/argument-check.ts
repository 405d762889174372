import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';

/** Arguments that a tool takes, without those that it does not know. */
export interface CheckedArguments {
  args: ToolArguments;
  /** What was left out, or is of no effect: `ref`, `fields[0].ref`. */
  ignored: readonly string[];
}

/** The checks of the tools that were called. */
export class ArgumentChecks {
  readonly #checks = new Map<string, ArgumentCheck>();
  #ajv: Ajv2020 | undefined;

  /** As `ArgumentCheck.check`. */
  check(tool: Tool, args: ToolArguments): CheckedArguments {
    const check = this.#checks.get(tool.name) ?? new ArgumentCheck(tool, this.#compiler());
    this.#checks.set(tool.name, check);
    return check.check(args);
  }

  /** Loaded with the first call. By `require`, since a check waits for nothing. */
  #compiler(): Ajv2020 {
    if (this.#ajv) return this.#ajv;
    const require = createRequire(import.meta.url);
    const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
    // The schemas are upstream's or our own: to check them would compile the schema of schemas first, which takes longer.
    this.#ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false });
    return this.#ajv;
  }
}

/** Checks arguments against the schema of their tool, and says what is wrong in one sentence a problem. */
class ArgumentCheck {
  readonly #tool: Tool;
  readonly #validate: ValidateFunction;

  constructor(tool: Tool, ajv: Ajv2020) {
    this.#tool = tool;
    this.#validate = ajv.compile(tool.inputSchema);
  }

  /**
   * As upstream does, an argument too many is left out. It is part of the error when others are wrong: a required one
   * may be missing because it was misspelt.
   * @throws PwpoolError `INVALID_ARGUMENTS`
   */
  check(args: ToolArguments): CheckedArguments {
    if (this.#validate(args)) return { args, ignored: [] };
    const errors = this.#validate.errors ?? [];
    if (!errors.every(isUnknown)) throw invalidArguments(this.#tool, errors);
    const unknown = new Set(errors.filter(({ instancePath }) => instancePath === '').map(propertyOf));
    const known = Object.entries(args).filter(([name]) => !unknown.has(name));
    return { args: Object.fromEntries(known), ignored: errors.map(pathOf) };
  }
}

/** What the caller is told of arguments that were left out. */
export function describeIgnored(tool: string, ignored: readonly string[]): string {
  return `${tool} does not take ${ignored.join(', ')}: ignored.`;
}

function isUnknown({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties';
}

function invalidArguments({ name, inputSchema }: Tool, errors: readonly ErrorObject[]): PwpoolError {
  const problems = [...new Set(errors.map(pathOf))].map((path) =>
    describe(
      path,
      errors.filter((error) => pathOf(error) === path),
    ),
  );
  const expected = Object.keys(inputSchema.properties ?? {});
  const required = inputSchema.required ?? [];
  return new PwpoolError('INVALID_ARGUMENTS', `Invalid arguments for ${name}: ${problems.join('; ')}.`, {
    hint: `It takes: ${expected.map((key) => (required.includes(key) ? key : `${key} (optional)`)).join(', ')}.`,
    details: { tool: name, problems },
  });
}

/** The one thing to say of an argument. The validator may have several, one for each branch that it tried. */
function describe(path: string, errors: readonly ErrorObject[]): string {
  const keywords = new Set(errors.map(({ keyword }) => keyword));
  if (keywords.has('additionalProperties')) return `unknown argument '${path}'`;
  if (keywords.has('required')) return `'${path}' is missing`;
  const allowed = errors.flatMap(allowedValues);
  if (keywords.has('enum')) return `'${path}' must be one of: ${allowed.join(', ')}`;
  const [first] = errors;
  if (first?.keyword === 'type') return `'${path}' must be of type ${first.params['type']}`;
  return `'${path}' ${first?.message ?? 'is not valid'}`;
}

function allowedValues({ keyword, params }: ErrorObject): string[] {
  if (keyword === 'enum') return (params['allowedValues'] as unknown[]).map(String);
  return keyword === 'type' && params['type'] === 'null' ? ['null'] : [];
}

/** What an error is about, as a caller would write it: `fields[0].name`. */
function pathOf(error: ErrorObject): string {
  const steps = error.instancePath.split('/').slice(1);
  const property = propertyOf(error);
  if (property !== undefined) steps.push(property);
  return steps
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}

function propertyOf({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'additionalProperties') return String(params['additionalProperty']);
  return keyword === 'required' ? String(params['missingProperty']) : undefined;
}
