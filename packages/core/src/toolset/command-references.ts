import type { CallAnswer } from '../calls/call-answer.js';
import type { ToolArguments, ToolResult } from '../connection/tool-connection.js';
import { PwpoolError } from '../errors.js';
import { faultOfExpression, search } from '../snapshot/jmespath.js';
import { snapshotFacts } from '../snapshot/snapshot-answer.js';
import type { Json } from '../snapshot/tree-forms.js';
import { answeredFacts } from '../upstream/answers.js';

/** `${2.url}`: of the answer of command 2, counted from 0, what the JMESPath expression `url` finds. */
export const REFERENCE = /\$\{(\d+)\.([A-Za-z_"@[][^}]*)\}/g;

/**
 * What is wrong with the references in the arguments of a command, in sentences.
 * @param index the command's own: only those before it have an answer by then
 */
export function faultsOfReferences(args: ToolArguments, index: number): string[] {
  const faults: string[] = [];
  mapTexts(args, (text) => {
    for (const [reference, of, expression = ''] of text.matchAll(REFERENCE)) {
      if (Number(of) >= index) faults.push(`${reference} is not about a command before this one`);
      else if (faultOfExpression(expression) !== undefined)
        faults.push(`${reference} is not a JMESPath expression`);
    }
    return text;
  });
  return faults;
}

export function hasReferences(args: ToolArguments): boolean {
  return JSON.stringify(args).search(REFERENCE) !== -1;
}

/**
 * Puts what earlier commands answered in place of the references. A text that is nothing but a reference becomes what was
 * found, of whatever type; within a text it is written out.
 * @throws PwpoolError `INVALID_ARGUMENTS` for one that finds nothing
 */
export function resolveReferences(args: ToolArguments, answers: readonly CallAnswer[]): ToolArguments {
  const find = (reference: string, of: string, expression: string): unknown => {
    const answer = answers[Number(of)];
    const facts = answer?.success ? factsOf(answer.result) : undefined;
    const found = facts && search({ ...facts } as Json, expression);
    if (found !== undefined && found !== null) return found;
    throw new PwpoolError('INVALID_ARGUMENTS', `${reference} finds nothing.`, {
      hint: facts
        ? `The answer of command ${of} has: ${Object.keys(facts).join(', ')}.`
        : `Command ${of} failed, so it has no answer.`,
    });
  };
  return mapTexts(args, (text) => {
    const [whole, of, expression] = text.matchAll(REFERENCE).next().value ?? [];
    if (whole === text) return find(whole, of ?? '', expression ?? '');
    return text.replace(REFERENCE, (reference: string, index: string, path: string) => {
      const found = find(reference, index, path);
      return typeof found === 'string' ? found : JSON.stringify(found);
    });
  }) as ToolArguments;
}

/** What references find in the answer of a tool. */
export function factsOf(answer: ToolResult): Record<string, unknown> {
  return { ...answeredFacts(answer), ...snapshotFacts(answer) };
}

/** The value with each text in it changed. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
