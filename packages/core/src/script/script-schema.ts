import * as z from 'zod';

const expression = (about: string) =>
  z.string().min(1).describe(`${about}, a JMESPath expression: row.kind == 'shop'`);

const duration = z
  .union([z.number().int().positive(), z.string().regex(/^\d+(?:ms|s|m)$/, 'Write 500ms, 30s or 2m')])
  .describe('Milliseconds, or a number with its unit: 500ms, 30s, 2m');

const step = z.strictObject({
  tool: z.string().describe('Name of a browser tool: pwpool tools lists them'),
  args: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Its arguments. In texts, {{row.url}}, {{vars.…}}, {{env.…}} and {{steps.NAME.…}} stand for what they find',
    ),
  save_as: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'A name is made of letters, digits and _')
    .optional()
    .describe(
      'Name under which later steps find the answer: {{steps.NAME.url}}, title, result, snapshot, text',
    ),
  return_result: z.boolean().optional().describe('The answer is part of the result of the row'),
  when: expression('Leave the step out unless this is true').optional(),
  for_each: z
    .union([
      expression('Run the step for each of what this finds, as {{item}} and {{index}}'),
      z.array(z.unknown()),
    ])
    .optional(),
  timeout: duration.optional(),
  on_error: z
    .enum(['stop', 'continue'])
    .default('stop')
    .describe('continue: go on with the next step; {{steps.NAME.error.code}} tells'),
});

const steps = z.array(step).min(1, 'There is no step');

/** A script of steps, as it is written. */
export const scriptSchema = z.strictObject({
  pool: z.string().optional().describe('Name of the pool; the default pool if left out'),
  toolset: z.enum(['playwright', 'compact']).optional().describe('The tools that the steps name'),
  clean: z
    .enum(['row', 'lease'])
    .default('row')
    .describe('row: each row starts in a clean browser. lease: a browser goes on from row to row'),
  timeout: duration.optional().describe('How long an attempt at a row may take'),
  vars: z.record(z.string(), z.unknown()).default({}).describe('Values for {{vars.NAME}}'),
  steps,
  extract: z
    .unknown()
    .optional()
    .describe('The result of a row. A reference that finds nothing becomes null'),
  expect: z
    .array(
      z.union([
        expression('Has to be true'),
        z.strictObject({ that: expression('Has to be true'), message: z.string().optional() }),
      ]),
    )
    .default([])
    .describe('What has to be true when the steps are done: else the row fails'),
  setup: steps.optional().describe('Steps for each browser before its first row'),
  teardown: steps.optional().describe('Steps for each browser after its last row'),
});

/** A script that is nothing but its steps. */
export const stepListSchema = steps;

export type WrittenScript = z.infer<typeof scriptSchema>;
export type WrittenStep = z.infer<typeof step>;

/** The JSON schema of a script, for editors. */
export function scriptJsonSchema(): Record<string, unknown> {
  const either = z.union([scriptSchema, stepListSchema]);
  return { title: 'A script of pwpool run', ...z.toJSONSchema(either, { io: 'input' }) };
}
