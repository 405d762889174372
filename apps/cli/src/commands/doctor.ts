import { type ConfigOptions, readConfiguration } from '../configuration.js';
import { checkBrowsers, checkInstalled } from '../doctor/browsers.js';
import type { Check, Finding } from '../doctor/finding.js';
import { checkFonts, checkMemory, checkNode, checkSandbox, checkSharedMemory } from '../doctor/machine.js';
import { checkPorts, checkProfiles } from '../doctor/places.js';
import { checkServers } from '../doctor/servers.js';
import { EXIT } from '../exit-status.js';
import { printJson, tell } from '../output.js';
import { printable } from '../table.js';

/** In the order in which they are told; browsers come last, since they take seconds. */
const CHECKS: readonly Check[] = [
  checkNode,
  checkSandbox,
  checkFonts,
  checkSharedMemory,
  checkMemory,
  checkPorts,
  checkProfiles,
  checkServers,
  checkInstalled,
  checkBrowsers,
];

const MARKS = { ok: 'ok  ', warning: 'warn', failure: 'FAIL' } as const;

/** Checks the machine against the configuration: exit status 1 when something that is configured does not work. */
export async function doctor(options: ConfigOptions & { json?: true }): Promise<number> {
  const config = readConfiguration(options);
  if (!config) return EXIT.config;
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const found = await check(config);
    findings.push(...found);
    if (!options.json) for (const finding of found) tell(describe(finding));
  }
  const healthy = findings.every(({ status }) => status !== 'failure');
  if (options.json) printJson({ healthy, findings });
  return healthy ? EXIT.ok : EXIT.failure;
}

function describe({ check, status, message, fix }: Finding): string {
  const line = `${MARKS[status]}  ${check}: ${printable(message)}`;
  return fix === undefined ? line : `${line}\n      ${printable(fix)}`;
}
