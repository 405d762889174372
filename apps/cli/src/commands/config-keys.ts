import { describeKeys, type KeyDescription } from '@pwpool/core/internal';
import type { Command } from 'commander';
import { EXIT } from '../exit-status.js';
import { complain, printJson, tell } from '../output.js';

/** Lists the keys that have all of the words, in the order of the table. */
export function configKeys(words: readonly string[], _: object, command: Command): number {
  const wanted = words.map((word) => word.toLowerCase());
  const keys = describeKeys().filter(({ key, help }) => {
    const text = `${key} ${help}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  // `pwpool config` has the option too, and commander gives it to that.
  if (command.optsWithGlobals()['json'] === true) printJson(keys);
  else if (keys.length > 0) tell(keys.map(describe).join('\n\n'));
  if (keys.length === 0) complain(`No key has ${words.join(' ')}. "pwpool config keys" lists all.`);
  return keys.length === 0 ? EXIT.failure : EXIT.ok;
}

function describe({ key, name, levels, takes, default: preset, help }: KeyDescription): string {
  return `${key}  (${name} in a file)\n  ${help}\n  ${takes}; default: ${preset.replaceAll('`', '')}; levels: ${levels.join(', ')}`;
}
