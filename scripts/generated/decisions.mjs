import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../run.mjs';
import { ROOT } from '../workspace.mjs';
import { markdownList } from './markdown.mjs';

const FOLDER = join(ROOT, 'docs/decisions');
const FILE = /^(\d{4})-.+\.md$/;
/** The number and the title, then what was decided, in its first sentence. */
const FORM = /^# (\d{4}) ([^\n]+)\n.*\*\*Decision\.\*\*\s+(.+?[.:])(?=\s+[A-Z`]|\s*\n\n)/s;

/** One item a decision: its number, its title and what was decided. */
export function decisionList() {
  const names = readdirSync(FOLDER)
    .filter((name) => FILE.test(name))
    .sort();
  return markdownList(names.map(describe));
}

function describe(name) {
  const [, number, title, decision] = FORM.exec(readFileSync(join(FOLDER, name), 'utf8')) ?? [];
  if (number === undefined || !name.startsWith(number)) {
    throw new CommandFailed(
      `docs/decisions/${name} has another form than the others: "# NNNN Title", then **Context.**, **Decision.**, **Consequence.**`,
    );
  }
  return `[${number}](${name}) **${title}.** ${decision.replace(/:$/, '.')}`;
}
