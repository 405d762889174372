import { tsImport } from 'tsx/esm/api';
import { markdownTable } from './markdown.mjs';

/** Columns of the help texts in the page. */
const WIDTH = 100;

/** A section a command: what its `--help` prints. */
export async function commandHelp() {
  const [{ describeProgram }, { fold }] = await Promise.all(['program.ts', 'fold.ts'].map(cliModule));
  const program = describeProgram(() => async () => undefined);
  return commandsBelow(program, 'pwpool')
    .map(({ name, command }) => `### ${name}\n\n\`\`\`text\n${fold(helpOf(command), WIDTH)}\n\`\`\``)
    .join('\n\n');
}

/** What each exit status means. */
export async function exitStatuses() {
  const { EXIT_MEANINGS } = await cliModule('exit-status.ts');
  return markdownTable(['Status', 'Meaning'], Object.entries(EXIT_MEANINGS));
}

function commandsBelow(parent, path) {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`;
    return [{ name, command }, ...commandsBelow(command, name)];
  });
}

function helpOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return text.trim();
}

async function cliModule(path) {
  return await tsImport(`../../apps/cli/src/${path}`, import.meta.url);
}
