import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { faultOfExpression } from './jmespath.js';

/** How a snapshot is looked at. */
export interface View {
  /** As a list of its nodes. */
  readonly flatten: boolean;
  /** A JMESPath expression over the nodes, nested or as a list. */
  readonly query: string | undefined;
  readonly format: 'yaml' | 'json';
  /** Items that a page has at most; as many as fit if left out. */
  readonly limit: number | undefined;
}

/** What a call asks to be shown of the page. */
export interface ViewRequest extends Partial<View> {
  /** The call says how it wants to see the page. */
  readonly asked: boolean;
  /** No snapshot in the answer. */
  readonly silent: boolean;
  /** What changed since the last snapshot. */
  readonly diff: boolean;
  /** Items before the first. */
  readonly offset: number;
  /** A snapshot that was taken before. */
  readonly cacheKey: string | undefined;
}

/** In JSON Schema. */
type Properties = Record<
  string,
  { type: 'boolean' | 'number' | 'string'; description?: string } | { enum: string[] }
>;

/** Sent with every `tools/list`, so described once, with the tool that is there to show the page. */
const NAVIGATION: Properties = {
  silent_mode: { type: 'boolean' },
  flatten: { type: 'boolean' },
  jmespath_query: { type: 'string' },
  output_format: { enum: ['yaml', 'json'] },
  limit: { type: 'number' },
  offset: { type: 'number' },
  cache_key: { type: 'string' },
};
const SNAPSHOT: Properties = {
  ...NAVIGATION,
  flatten: { type: 'boolean', description: 'List of nodes' },
  jmespath_query: { type: 'string', description: 'Over {role, name, ref, text, url, children}' },
  cache_key: { type: 'string', description: 'Page on in that snapshot' },
  diff: { type: 'boolean', description: 'Only what changed' },
};

/** Those arguments as a call may give them. */
interface Given {
  silent_mode?: boolean;
  flatten?: boolean;
  jmespath_query?: string;
  output_format?: View['format'];
  limit?: number;
  offset?: number;
  cache_key?: string;
  diff?: boolean;
}

/** A navigation leaves nothing to compare with. */
const ARGUMENTS: Readonly<Record<string, Properties>> = {
  browser_navigate: NAVIGATION,
  browser_snapshot: SNAPSHOT,
};

/** Arguments of upstream's that say what is in a new snapshot. */
const OF_NEW_SNAPSHOT = ['target', 'depth', 'boxes', 'filename'];

/** A tool that shows the page, with the arguments for how. */
export function withView(tool: Tool): Tool {
  const own = ARGUMENTS[tool.name];
  if (!own) return tool;
  const { inputSchema } = tool;
  return {
    ...tool,
    inputSchema: {
      ...inputSchema,
      properties: { ...inputSchema.properties, ...own },
    },
  };
}

/**
 * Takes what a call says of the view out of its arguments.
 * @throws PwpoolError `INVALID_ARGUMENTS` for arguments that are wrong, or contradict each other
 */
export function splitView(tool: string, args: ToolArguments): { view: ViewRequest; args: ToolArguments } {
  const properties = ARGUMENTS[tool] ?? {};
  const entries = Object.entries(args);
  const own = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)));
  const rest = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(properties, name)));
  const wrong = wrongTypes(own, properties);
  if (wrong.length > 0) throw invalid(tool, wrong);
  const given = own as Given;
  const problems = [...wrongValues(given), ...contradictions(given, rest)];
  if (problems.length > 0) throw invalid(tool, problems);
  const { silent_mode: silent = false, diff = false, offset = 0, cache_key: cacheKey } = given;
  const { flatten, jmespath_query: query, output_format: format, limit } = given;
  return {
    view: {
      asked: Object.values(own).some((value) => value !== undefined && value !== false),
      silent,
      diff,
      offset,
      cacheKey,
      ...(flatten === undefined ? {} : { flatten }),
      ...(query === undefined ? {} : { query }),
      ...(format === undefined ? {} : { format }),
      ...(limit === undefined ? {} : { limit }),
    },
    args: rest,
  };
}

function wrongTypes(given: ToolArguments, properties: Properties): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const property = properties[name];
    if (value === undefined || property === undefined) return [];
    if ('enum' in property)
      return property.enum.some((each) => each === value)
        ? []
        : [`'${name}' must be one of: ${property.enum.join(', ')}`];
    return typeof value === property.type ? [] : [`'${name}' must be of type ${property.type}`];
  });
}

function wrongValues({ limit = 1, offset = 0, jmespath_query: query }: Given): string[] {
  const fault = query === undefined ? undefined : faultOfExpression(query);
  return [
    ...(Number.isSafeInteger(limit) && limit > 0 ? [] : [`'limit' must be a whole number from 1 up`]),
    ...(Number.isSafeInteger(offset) && offset >= 0 ? [] : [`'offset' must be a whole number from 0 up`]),
    ...(fault === undefined ? [] : [`'jmespath_query' is not a JMESPath expression: ${fault}`]),
  ];
}

function contradictions(given: Given, rest: ToolArguments): string[] {
  const { silent_mode: silent, diff, cache_key, ...how } = given;
  const looks = Object.entries(how).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : name,
  );
  const taken = OF_NEW_SNAPSHOT.filter((name) => rest[name] !== undefined && rest[name] !== false);
  const against = (name: string, others: readonly string[]) =>
    others.map((other) => `'${name}' and '${other}' contradict each other`);
  const keyed = cache_key === undefined ? [] : ['cache_key'];
  return [
    ...(silent ? against('silent_mode', [...looks, ...(diff ? ['diff'] : []), ...keyed]) : []),
    ...(diff ? against('diff', [...looks, ...keyed, ...taken]) : []),
    ...keyed.flatMap((key) => against(key, taken)),
    ...(rest['filename'] === undefined ? [] : against('filename', looks)),
  ];
}

function invalid(tool: string, problems: readonly string[]): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `Invalid arguments for ${tool}: ${problems.join('; ')}.`, {
    hint: 'To see the page: flatten, jmespath_query, output_format, limit and offset go together, also with cache_key; silent_mode and diff stand alone.',
    details: { tool, problems },
  });
}
