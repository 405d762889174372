import { PwpoolError } from '../errors.js';

/** The kinds of fault in a configuration. */
export type ViolationCode =
  | 'POOL_MISSING_INSTANCES'
  | 'MULTIPLE_DEFAULT_POOLS'
  | 'NO_DEFAULT_POOL'
  | 'INVALID_INSTANCE_ID'
  | 'DUPLICATE_ALIAS'
  | 'INSTANCES_DEFINED_GLOBALLY'
  | 'WRONG_LEVEL'
  | 'UNKNOWN_KEY'
  | 'INVALID_POOL_NAME'
  | 'INVALID_VALUE'
  | 'MIN_IDLE_ABOVE_INSTANCES'
  | 'MULTIPLE_DRIVERS'
  | 'CONTEXTS_PER_BROWSER_CONFLICT'
  | 'CDP_NEEDS_CHROMIUM'
  | 'PORT_OUT_OF_RANGE'
  | 'UNUSED_SETTING'
  | 'REMOTE_TOOLS'
  | 'SHARED_ENDPOINT'
  | 'SHARED_PORT'
  | 'DEVICE_CONFLICT'
  | 'HTTP_EXPOSED'
  | 'UNKNOWN_DEVICE'
  | 'UNKNOWN_OPTION'
  | 'UNSUPPORTED_OPTION'
  | 'UNKNOWN_TOOL'
  | 'FILE_UNREADABLE'
  | 'SEVERAL_FILES'
  | 'DOTENV_UNREADABLE';

/** One fault in a configuration. */
export interface Violation {
  code: ViolationCode;
  /** What is wrong. A message that users were promised comes first [000-validation-01]. */
  message: string;
  /** The variable or path at fault; several are separated by ", ". */
  variable: string;
  /** What to do, in one sentence. */
  fix: string;
  /** Where in which files that is, as `file:line:column` (of `.env`, `file:line`), separated by ", "; undefined if it is in none. */
  location?: string | undefined;
}

/** The kinds of slip that leave a configuration valid. */
export type ConfigWarningCode =
  | 'UNKNOWN_UPSTREAM_VARIABLE'
  | 'MISSPELT_PREFIX'
  | 'RENAMED_VARIABLE'
  | 'DOTENV_IGNORED_LINE'
  | 'DOTENV_DUPLICATE';

/** What was probably meant otherwise, and has no effect. */
export interface ConfigWarning {
  code: ConfigWarningCode;
  message: string;
  /** The variable or the lines at fault. */
  variable: string;
  /** What to do, in one sentence. */
  fix: string;
}

/** The text a person reads on stderr: one block a violation. */
export function formatViolations(violations: readonly (Violation | ConfigWarning)[]): string {
  return violations
    .map((fault) => {
      const { message, variable, fix } = fault;
      const at = 'location' in fault && fault.location !== undefined ? `\n  at: ${fault.location}` : '';
      return `${message}\n  variable: ${variable}${at}\n  fix: ${fix}`;
    })
    .join('\n\n');
}

/** Adds where the names at fault stand. What knows its place already keeps it. */
export function located(violation: Violation, locationOf: (name: string) => string | undefined): Violation {
  if (violation.location !== undefined) return violation;
  const found = violation.variable.split(', ').flatMap((name) => locationOf(name) ?? []);
  return found.length === 0 ? violation : { ...violation, location: [...new Set(found)].join(', ') };
}

/** What `configInvalid` was given. */
export function violationsOf(error: PwpoolError): readonly Violation[] {
  return (error.details?.['violations'] ?? []) as readonly Violation[];
}

/** Those that some work ends with; none if it ends well. */
export async function violationsOfWork(work: () => Promise<unknown>): Promise<readonly Violation[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof PwpoolError && error.code === 'CONFIG_INVALID') return violationsOf(error);
    throw error;
  }
}

/** The `CONFIG_INVALID` error that carries all violations, in its message and in `details.violations`. */
export function configInvalid(violations: readonly Violation[]): PwpoolError {
  const count = violations.length === 1 ? '1 violation' : `${violations.length} violations`;
  const lines = violations.map(({ message, variable, location, fix }) => {
    const where = message.includes(variable) && location === undefined ? '' : ` (${location ?? variable})`;
    return `- ${message}${where}. ${fix}`;
  });
  return new PwpoolError('CONFIG_INVALID', [`The configuration has ${count}:`, ...lines].join('\n'), {
    hint: 'Correct every setting in the list, then start again.',
    details: { violations },
  });
}
