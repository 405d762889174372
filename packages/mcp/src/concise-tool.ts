import type { ServerSettings, Tool } from '@pwpool/core';

/** Characters of an answer from which on Claude Code writes it to a file, and the most that it can be told to show. */
const [SHOWN, MOST] = [50_000, 500_000];

/**
 * A tool as `tools/list` shows it: every client reads and pays for the list, so it is without what tells nothing. That is the
 * dialect of the schema; that an argument too many is not taken, which its answer tells; that a tool deals with the open
 * world, which MCP takes for granted; and whether a tool that only reads destroys anything.
 */
export function concise(tool: Tool): Tool {
  const { $schema: _, additionalProperties: __, ...inputSchema } = tool.inputSchema;
  if (!tool.annotations) return { ...tool, inputSchema };
  const { openWorldHint, destructiveHint, ...hints } = tool.annotations;
  const annotations = {
    ...hints,
    ...(hints.readOnlyHint || destructiveHint === undefined ? {} : { destructiveHint }),
    ...(openWorldHint === false ? { openWorldHint } : {}),
  };
  return { ...tool, inputSchema, annotations };
}

/** Where answers may be longer than Claude Code shows, tells it to show them. */
export function withSizeOfAnswer(tool: Tool, { answerMaxKb }: ServerSettings): Tool {
  const size = answerMaxKb * 1024;
  if (size <= SHOWN) return tool;
  return { ...tool, _meta: { ...tool._meta, 'anthropic/maxResultSizeChars': Math.min(size, MOST) } };
}
