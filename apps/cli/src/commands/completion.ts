import type { Command } from 'commander';
import { namesNow } from '../completion/names.js';
import { type CompletionShell, completionScript, isShell } from '../completion/scripts.js';
import type { NameKind } from '../completion/stops.js';
import { EXIT } from '../exit-status.js';
import { print } from '../output.js';

/** Prints the completion script of a shell, made from the commands as they are declared, or names that such a script asks for. */
export async function completion(
  what: CompletionShell | NameKind,
  _: object,
  command: Command,
): Promise<number> {
  if (!isShell(what)) for (const line of await namesNow(what)) print(line);
  else if (command.parent) print(completionScript(what, command.parent));
  return EXIT.ok;
}
