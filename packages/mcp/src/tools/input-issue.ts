import type { ToolArguments } from '@pwpool/core';
import type { z } from 'zod';

/** What is wrong with an argument of one of pwpool's own tools, a sentence a problem, as for the browser tools. */
export function describeIssue(issue: z.core.$ZodIssue, args: ToolArguments): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `unknown argument '${key}'`);
  const path = issue.path.join('.');
  if (args[String(issue.path[0])] === undefined) return [`'${path}' is missing`];
  switch (issue.code) {
    case 'invalid_type':
      return [`'${path}' must be of type ${issue.expected}`];
    case 'invalid_value':
      return [`'${path}' must be one of: ${issue.values.join(', ')}`];
    case 'too_small':
      return [`'${path}' must not be empty`];
    case 'too_big':
      return issue.origin === 'array'
        ? [`'${path}' must not have more than ${issue.maximum} entries`]
        : [`'${path}' must not be longer than ${issue.maximum} characters`];
    default:
      return [`'${path}' is not valid`];
  }
}
