import type {
  BrowserPools,
  CallOptions,
  ServerSettings,
  SessionManager,
  Tool,
  ToolArguments,
  ToolResult,
  Toolset,
} from '@pwpool/core';
import type { Calls, Client, OwnTool } from '@pwpool/core/internal';
import * as z from 'zod';

/** What there is to call, and where. */
export interface Offer {
  /** The browser tools. */
  toolset: Toolset;
  settings: ServerSettings;
  /** The names of the pools that there are for the client. */
  pools: readonly string[];
}

/** What pwpool's own tools work with. */
export interface PoolToolParts {
  client: Client;
  pools: BrowserPools;
  sessions: SessionManager;
  calls: Calls;
  /** The browser tools. */
  toolset: Toolset;
}

export interface PoolToolOptions extends CallOptions {
  /** Puts something behind the answer that is no JSON. */
  attach: (content: ToolResult['content']) => void;
  /** Present when the client asked for progress. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** One of pwpool's own tools: name, schema and handler in one object. What the handler returns is its answer as JSON. */
export interface PoolTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string;
  /** The tool that this is another name of: not in `tools/list`, which every client pays for, and denied with it. */
  aliasOf?: OwnTool;
  description: string;
  readOnly: boolean;
  /** For docs/tools.md: what each argument means, and arguments that it may be called with. */
  help?: Readonly<Record<string, string>>;
  example?: ToolArguments;
  input: z.ZodObject<Shape>;
  /** The values that arguments may have as the server runs now; told where there is more than one. */
  choices?(offer: Offer): Readonly<Record<string, readonly string[]>>;
  handle(
    input: z.infer<z.ZodObject<Shape>>,
    parts: PoolToolParts,
    options: PoolToolOptions,
  ): Promise<Record<string, unknown>>;
}

const UNTOLD = [
  'additionalProperties',
  'propertyNames',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
] as const;

/** Binds the handler's input to the schema, then forgets the shape so that tools fit in one list. */
export function definePoolTool<Shape extends z.ZodRawShape>(tool: PoolTool<Shape>): PoolTool {
  return tool as unknown as PoolTool;
}

/** The tool as `tools/list` shows it. Limits of length are left out: who breaks one is told. */
export function describePoolTool(tool: PoolTool, offer: Offer): Tool {
  const { name, description, readOnly } = tool;
  const inputSchema = z.toJSONSchema(tool.input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const key of UNTOLD) delete jsonSchema[key];
    },
  });
  for (const [argument, values] of Object.entries(tool.choices?.(offer) ?? {})) {
    const property = inputSchema.properties?.[argument];
    if (typeof property === 'object' && values.length > 1) property.enum = [...values];
  }
  return {
    name,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  };
}
