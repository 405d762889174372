import { z } from 'zod';
import { PwpoolError } from '../errors.js';
import { YamlFile } from '../sites/yaml-file.js';
import { describeIgnored } from '../toolset/argument-check.js';
import type { PlaywrightToolset } from '../toolset/playwright-toolset.js';

const stepSchema = z.strictObject({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
});

/** One call of a browser tool. */
export type ScriptStep = z.infer<typeof stepSchema>;

export interface Script {
  steps: readonly ScriptStep[];
  /** Steps with arguments that their tool does not know, and which are of no effect. */
  warnings: readonly string[];
}

/**
 * Reads a script, a YAML (or JSON) list of steps, each `{ tool, args }`, and checks the tool and the arguments of every
 * step, so that a faulty script is refused before a browser is started. Steps are told by their number, from 1, and line.
 * @param name of the file, for messages
 * @throws PwpoolError `INVALID_ARGUMENTS` with every fault and where it is
 */
export function parseScript(text: string, name: string, toolset: PlaywrightToolset): Script {
  const file = new YamlFile(text, name);
  const steps: ScriptStep[] = [];
  const warnings: string[] = [];
  const problems = file.violations.map(({ message, variable }) => `${variable}: ${message}`);
  if (problems.length === 0 && !(Array.isArray(file.content) && file.content.length > 0)) {
    problems.push(`${file.place([])}: It is no list of steps, or an empty one`);
  }
  const written: unknown[] = Array.isArray(file.content) ? file.content : [];
  for (const [index, step] of written.entries()) {
    const at = (path: readonly (string | number)[]) => `${file.place([index, ...path])}: Step ${index + 1}`;
    const parsed = stepSchema.safeParse(step);
    if (parsed.success) {
      const { tool, args } = parsed.data;
      steps.push(parsed.data);
      try {
        const { ignored } = toolset.check(tool, args);
        if (ignored.length > 0) warnings.push(`${at([])}: ${describeIgnored(tool, ignored)}`);
      } catch (error) {
        if (!(error instanceof PwpoolError)) throw error;
        problems.push(`${at([])}: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`);
      }
    } else {
      problems.push(...parsed.error.issues.map((issue) => `${at(pathOf(issue))}: ${wordsOf(issue)}`));
    }
  }
  if (problems.length > 0) throw noScript(name, problems);
  return { steps, warnings };
}

function pathOf(issue: z.core.$ZodIssue): (string | number)[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return [...issue.path, ...keys].map((key) => (typeof key === 'number' ? key : String(key)));
}

function wordsOf({ path, message }: z.core.$ZodIssue): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}

function noScript(name: string, problems: readonly string[]): PwpoolError {
  return new PwpoolError(
    'INVALID_ARGUMENTS',
    `${name} is not a script that can be run:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint: 'A script is a list of steps: "- tool: browser_navigate", and below it "args:" with the arguments of the tool.',
      details: { file: name, problems },
    },
  );
}
