import { formatViolations, inspectConfig, type PwpoolConfig, type Violation } from '@pwpool/core';
import { complain } from './output.js';

/** The configuration in force, or `undefined` once stderr has every violation of it. */
export function readConfiguration(): PwpoolConfig | undefined {
  const { config, violations } = inspectConfig();
  if (!config) complainOf(violations);
  return config;
}

function complainOf(violations: readonly Violation[]): void {
  const count = violations.length === 1 ? '1 violation' : `${violations.length} violations`;
  complain(`The configuration has ${count}:\n\n${formatViolations(violations)}`);
}
