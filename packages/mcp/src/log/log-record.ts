/** `LOG_LEVEL`, the worst first. */
export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof LEVELS)[number];

/** One line of the log. */
export interface LogRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly level: LogLevel;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** One call of a tool, as it is logged. */
export interface CallRecord {
  /** Who called, by its token. */
  principal?: string | undefined;
  client: string;
  session: string | null;
  tool: string;
  ms: number;
  /** The code of its error; `null` if it was carried out. */
  code: string | null;
}
