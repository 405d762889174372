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
  | 'SHARED_ENDPOINT'
  | 'SHARED_PORT'
  | 'DEVICE_CONFLICT'
  | 'UNKNOWN_DEVICE'
  | 'UNKNOWN_OPTION'
  | 'UNSUPPORTED_OPTION'
  | 'FILE_UNREADABLE'
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
}

/** The kinds of slip that leave a configuration valid. */
export type ConfigWarningCode =
  | 'UNKNOWN_UPSTREAM_VARIABLE'
  | 'MISSPELT_PREFIX'
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
    .map(({ message, variable, fix }) => `${message}\n  variable: ${variable}\n  fix: ${fix}`)
    .join('\n\n');
}

/** What `configInvalid` was given. */
export function violationsOf(error: PwpoolError): readonly Violation[] {
  return (error.details?.['violations'] ?? []) as readonly Violation[];
}

/** The `CONFIG_INVALID` error that carries all violations, in its message and in `details.violations`. */
export function configInvalid(violations: readonly Violation[]): PwpoolError {
  const count = violations.length === 1 ? '1 violation' : `${violations.length} violations`;
  const lines = violations.map(({ message, variable, fix }) => {
    const where = message.includes(variable) ? '' : ` (${variable})`;
    return `- ${message}${where}. ${fix}`;
  });
  return new PwpoolError('CONFIG_INVALID', [`The configuration has ${count}:`, ...lines].join('\n'), {
    hint: 'Correct every setting in the list, then start again.',
    details: { violations },
  });
}
