import type { PwpoolConfig } from '@pwpool/core';

/** What one look at the machine found. */
export interface Finding {
  /** What was looked at, such as `memory`. */
  check: string;
  /** A warning costs speed or comfort; with a failure something that is configured does not work. */
  status: 'ok' | 'warning' | 'failure';
  message: string;
  /** What to do; none where all is well. */
  fix?: string;
}

/** Looks at one side of the machine, given the configuration in force. Never throws: what it cannot see is a finding too. */
export type Check = (config: PwpoolConfig) => Finding[] | Promise<Finding[]>;
