import { parseDocument } from 'yaml';
import { z } from 'zod';
import { PwpoolError } from '../errors.js';

const stepSchema = z.strictObject({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
});

/** One call of a browser tool. */
export type ScriptStep = z.infer<typeof stepSchema>;

const scriptSchema = z.array(stepSchema).min(1, 'a script has one step at least');

/**
 * Reads a script: a YAML (or JSON) list of steps, each `{ tool, args }`.
 * @param name of the file, for messages
 * @throws PwpoolError `INVALID_ARGUMENTS` with every fault and where it is
 */
export function parseScript(text: string, name: string): ScriptStep[] {
  const document = parseDocument(text);
  const problems = document.errors.map((error) => error.message);
  const parsed = problems.length === 0 ? scriptSchema.safeParse(document.toJS()) : undefined;
  if (parsed?.success) return parsed.data;
  for (const issue of parsed?.error.issues ?? []) {
    problems.push(`${issue.path.length > 0 ? `step ${issue.path.join('.')}: ` : ''}${issue.message}`);
  }
  throw new PwpoolError(
    'INVALID_ARGUMENTS',
    `${name} is not a script:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint: 'A script is a list of steps: "- tool: browser_navigate", and below it "args:" with the arguments of the tool.',
      details: { file: name, problems },
    },
  );
}
