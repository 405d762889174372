import type { Tool } from '../connection/tool-connection.js';

/**
 * A tool of upstream's as its callers may call it. The schemas that it lists tell what its handlers get, and so name
 * arguments with a default as required; its server fills those in.
 */
export function asCallable(tool: Tool): Tool {
  const callable = { ...tool, inputSchema: withoutDefaulted(tool.inputSchema) as Tool['inputSchema'] };
  return tool.name === 'browser_tabs' ? withCloseOthers(callable) : callable;
}

/** `callMended` adds an action to those of upstream. */
function withCloseOthers(tool: Tool): Tool {
  const { properties } = tool.inputSchema;
  const action = properties?.['action'];
  if (!isRecord(action) || !Array.isArray(action['enum'])) return tool;
  return {
    ...tool,
    description: 'List, create, close, or select a browser tab, or close all but the current one.',
    inputSchema: {
      ...tool.inputSchema,
      properties: { ...properties, action: { ...action, enum: [...action['enum'], 'close_others'] } },
    },
  };
}

function withoutDefaulted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaulted);
  if (!isRecord(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutDefaulted(value)]),
  );
  const { required, properties } = inner;
  if (!Array.isArray(required) || !isRecord(properties)) return inner;
  const { required: _, ...rest } = inner;
  const left = required.filter((name) => {
    const property = properties[String(name)];
    return !isRecord(property) || !('default' in property);
  });
  return left.length > 0 ? { ...rest, required: left } : rest;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
