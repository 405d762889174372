import type { BrowserPools, CallOptions, SessionManager, Tool } from '@pwpool/core';
import type { Calls, Client } from '@pwpool/core/internal';
import { z } from 'zod';

/** What pwpool's own tools work with. */
export interface PoolToolParts {
  client: Client;
  pools: BrowserPools;
  sessions: SessionManager;
  calls: Calls;
}

/** One of pwpool's own tools: name, schema and handler in one object. What the handler returns is its answer as JSON. */
export interface PoolTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string;
  description: string;
  readOnly: boolean;
  /** Whether `tools/list` has it, which is read and paid for by every client; default true. */
  isListed?: boolean;
  input: z.ZodObject<Shape>;
  handle(
    input: z.infer<z.ZodObject<Shape>>,
    parts: PoolToolParts,
    options: CallOptions,
  ): Promise<Record<string, unknown>>;
}

/** Binds the handler's input to the schema, then forgets the shape so that tools fit in one list. */
export function definePoolTool<Shape extends z.ZodRawShape>(tool: PoolTool<Shape>): PoolTool {
  return tool as unknown as PoolTool;
}

/** The tool as `tools/list` shows it. */
export function describePoolTool(tool: PoolTool): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: { readOnlyHint: tool.readOnly, openWorldHint: false },
  };
}
