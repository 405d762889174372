import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRequirements } from '../check-requirements.mjs';
import { ROOT } from '../workspace.mjs';
import { markdownList, markdownTable } from './markdown.mjs';

const STATUSES = ['built', 'partial', 'planned'];

/** How many requirements of each file are built, built in part and planned. */
export function requirementCounts() {
  const { requirements } = readRequirements(ROOT);
  const count = (among) => STATUSES.map((status) => among.filter((one) => one.status === status).length);
  const files = [...new Set(requirements.map(({ file }) => file))];
  return markdownTable(
    ['Requirements', ...STATUSES],
    [
      ...files.map((file) => [
        `[${titleOf(file)}](../requirements/${file})`,
        ...count(requirements.filter((one) => one.file === file)),
      ]),
      ['All', ...count(requirements)],
    ],
  );
}

/** Those that are built in part, and what is missing. */
export function partialRequirements() {
  return list('partial', ({ id, text, missing }) => `${text} Missing: ${missing} (\`${id}\`)`);
}

/** Those that nothing has been built of. */
export function plannedRequirements() {
  return list('planned', ({ id, text }) => `${text} (\`${id}\`)`);
}

function list(status, describe) {
  return markdownList(
    readRequirements(ROOT)
      .requirements.filter((one) => one.status === status)
      .map(describe),
  );
}

/** The comment at the top of a file of requirements. */
function titleOf(file) {
  const [first] = readFileSync(join(ROOT, 'requirements', file), 'utf8').split('\n');
  return first.replace(/^# (Seed \d+: )?/, '').replace(/;.*$|\.$/, '');
}
