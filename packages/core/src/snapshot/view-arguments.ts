import * as z from 'zod';
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

/** Sent with every `tools/list`, so described once, with the tool that is there to show the page. */
const NAVIGATION = z.object({
  silent_mode: z.boolean().optional(),
  flatten: z.boolean().optional(),
  jmespath_query: z.string().optional(),
  output_format: z.enum(['yaml', 'json']).optional(),
  limit: z.number().optional(),
  offset: z.number().optional(),
  cache_key: z.string().optional(),
});
const SNAPSHOT = NAVIGATION.extend({
  flatten: z.boolean().optional().describe('List of nodes'),
  jmespath_query: z.string().optional().describe('Over {role, name, ref, text, url, children}'),
  cache_key: z.string().optional().describe('Page on in that snapshot'),
  diff: z.boolean().optional().describe('Only what changed'),
});

/** A navigation leaves nothing to compare with. */
const ARGUMENTS: Readonly<Record<string, typeof SNAPSHOT | typeof NAVIGATION>> = {
  browser_navigate: NAVIGATION,
  browser_snapshot: SNAPSHOT,
};

/** Arguments of upstream's that say what is in a new snapshot. */
const OF_NEW_SNAPSHOT = ['target', 'depth', 'boxes', 'filename'];

/** A tool that shows the page, with the arguments for how. */
export function withView(tool: Tool): Tool {
  const own = ARGUMENTS[tool.name];
  if (!own) return tool;
  const { properties } = z.toJSONSchema(own, {
    // A list of values says the type.
    override: ({ jsonSchema }) => void (jsonSchema.enum && delete jsonSchema.type),
  });
  const { inputSchema } = tool;
  return {
    ...tool,
    inputSchema: {
      ...inputSchema,
      properties: { ...inputSchema.properties, ...properties },
    } as Tool['inputSchema'],
  };
}

/**
 * Takes what a call says of the view out of its arguments.
 * @throws PwpoolError `INVALID_ARGUMENTS` for arguments that are wrong, or contradict each other
 */
export function splitView(tool: string, args: ToolArguments): { view: ViewRequest; args: ToolArguments } {
  const schema = ARGUMENTS[tool];
  const isOwn = ([name]: [string, unknown]) => schema !== undefined && Object.hasOwn(schema.shape, name);
  const entries = Object.entries(args);
  const own = Object.fromEntries(entries.filter(isOwn));
  const { data, error } = SNAPSHOT.safeParse(own);
  if (!data)
    throw invalid(
      tool,
      error.issues.map(({ path, message }) => `'${path.join('.')}': ${message}`),
    );
  const rest = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
  const problems = [...wrongValues(data), ...contradictions(data, rest)];
  if (problems.length > 0) throw invalid(tool, problems);
  const { silent_mode: silent = false, diff = false, offset = 0, cache_key: cacheKey } = data;
  const { flatten, jmespath_query: query, output_format: format, limit } = data;
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

type Given = z.infer<typeof SNAPSHOT>;

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
