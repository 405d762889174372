/** What a command ends with; 64 and 78 are EX_USAGE and EX_CONFIG of sysexits.h. */
export const EXIT = {
  ok: 0,
  failure: 1,
  halted: 2,
  notRunning: 2,
  nothingToDo: 3,
  usage: 64,
  config: 78,
  interrupted: 130,
} as const;

/** What each status means, for `--help` and docs/cli.md. What one command adds is in its own help. */
export const EXIT_MEANINGS: Readonly<Record<string, string>> = {
  [EXIT.ok]: 'done',
  [EXIT.failure]: 'failed',
  [EXIT.halted]: 'no server runs; of run: ended early by --halt',
  [EXIT.nothingToDo]: 'nothing to do',
  [EXIT.usage]: 'wrong usage or script',
  [EXIT.config]: 'invalid configuration',
  '128 + n': 'ended by signal n',
};

/** Codes that are not a failure (1): what was asked for is at fault, or the configuration is. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  CONFIG_INVALID: EXIT.config,
  INVALID_ARGUMENTS: EXIT.usage,
  TOOL_NOT_FOUND: EXIT.usage,
  POOL_NOT_FOUND: EXIT.usage,
  INSTANCE_NOT_FOUND: EXIT.usage,
};

/** The exit status for an error with one of pwpool's codes. */
export function statusOfCode(code: string): number {
  return STATUS_OF_CODE[code] ?? EXIT.failure;
}
