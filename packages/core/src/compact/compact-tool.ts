import * as z from 'zod';
import type { Tool, ToolArguments } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import type { CompactBrowser } from './compact-browser.js';

/** What a tool has found out or done. It is the answer's text and its structured content. */
export type Facts = Record<string, unknown>;

export interface CompactAnswer {
  facts: Facts;
  /** PNG, in base64. Its answer has no structured content: clients that show one leave out images. */
  image?: string;
}

/** One of the compact tools, as its callers know it. */
export interface CompactTool {
  /** As `tools/list` has it. */
  readonly definition: Tool;
  /**
   * Checks what the schema cannot say of arguments that fit it.
   * @throws PwpoolError `INVALID_ARGUMENTS`
   */
  check(args: ToolArguments): void;
  /**
   * @param signal aborts when nobody waits any more
   * @throws PwpoolError, or what Playwright throws
   */
  run(browser: CompactBrowser, args: ToolArguments, signal: AbortSignal): Promise<CompactAnswer>;
}

interface CompactToolSpec<Shape extends z.ZodRawShape> {
  name: string;
  description: string;
  readOnly?: true;
  input: z.ZodObject<Shape>;
  /** What its structured content tells when it succeeds; none for a tool without. */
  output?: z.ZodObject;
  /** What is wrong with arguments that fit the schema, in a sentence. */
  fault?(input: z.infer<z.ZodObject<Shape>>): string | undefined;
  run(
    browser: CompactBrowser,
    input: z.infer<z.ZodObject<Shape>>,
    signal: AbortSignal,
  ): Promise<CompactAnswer>;
}

/** Makes a tool of its name, schemas and work. */
export function compactTool<Shape extends z.ZodRawShape>(spec: CompactToolSpec<Shape>): CompactTool {
  const { name, description, readOnly = false, input, output } = spec;
  return {
    definition: {
      name,
      description,
      inputSchema: schemaOf(input),
      // Clients hold failures, which tell other things, to the same schema.
      ...(output ? { outputSchema: schemaOf(output.partial()) } : {}),
      annotations: { readOnlyHint: readOnly },
    },
    check(args) {
      const fault = spec.fault?.(input.parse(args));
      if (fault !== undefined) throw new PwpoolError('INVALID_ARGUMENTS', `${name}: ${fault}`);
    },
    run: (browser, args, signal) => spec.run(browser, input.parse(args), signal),
  };
}

function schemaOf(object: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(object, { io: 'input' });
  return schema as Tool['inputSchema'];
}
