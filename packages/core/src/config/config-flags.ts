import { definitionOf, isKeyName, KEY_NAMES, levelsOf } from './keys.js';
import { LayerBuilder } from './layer.js';
import { flagAt, invalidInstanceId, invalidPoolName, isInstanceId, nameInFile, type Place } from './place.js';
import { nearest } from './suggest.js';
import { valueFromText } from './values.js';
import type { Violation } from './violations.js';

/** The flags of pwpool's own that configure, with what they take, for `--help`. */
export const CONFIG_FLAGS = [
  {
    flag: '--config <file>',
    help: "configuration file, pwpool's or playwright-mcp's (default: pwpool.config.yaml)",
  },
  { flag: '--env-file <file>', help: 'file of variables (default: .env)' },
  {
    flag: '--set <key=value>',
    help: 'one setting: headless=false, SHOP.timeout=9000, SHOP.0.alias=main; may be repeated',
  },
] as const;

const SET_FORMS = 'Write --set KEY=value, --set POOL.KEY=value or --set POOL.ID.KEY=value.';

export interface ConfigFlags {
  /** What `--set` sets: it beats everything else. */
  set: LayerBuilder;
  /** From `--env-file`, as written. */
  envFile: string | undefined;
  /** All other arguments: `--config`, and the options of playwright-mcp. */
  rest: readonly string[];
}

/** Takes `--env-file` and `--set` out of a command line. */
export function readConfigFlags(args: readonly string[]): ConfigFlags {
  const set = new LayerBuilder('flags');
  const settings = new Map<string, () => void>();
  const rest: string[] = [];
  let envFile: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    const flag = /^--(?:env-file|set)(?==|$)/.exec(argument)?.[0];
    if (flag === undefined) {
      rest.push(argument);
      continue;
    }
    const text = argument === flag ? args[++at] : argument.slice(flag.length + 1);
    if (text === undefined || text === '') set.violations.push(noValue(flag));
    else if (flag === '--env-file') envFile = text;
    // Of one that is repeated, the last counts.
    else settings.set(text.split('=', 1)[0] ?? '', () => readSetting(set, text));
  }
  for (const read of settings.values()) read();
  return { set, envFile, rest };
}

/** `headless`, `SHOP.headless`, `SHOP.0.alias`; also as a file has it: `pools.SHOP.instance.0.alias`. */
function readSetting(builder: LayerBuilder, text: string): void {
  const equals = text.indexOf('=');
  const steps = (equals === -1 ? text : text.slice(0, equals)).trim().split('.');
  if (steps[0] === 'pools') steps.shift();
  if (steps.length === 4 && steps[1] === 'instance') steps.splice(1, 1);
  const name = steps.pop() ?? '';
  const [pool, id] = steps;
  const place = placeOf(pool, id);
  if (equals === -1 || name === '' || steps.length > 2) {
    builder.violations.push(malformed(text));
    return;
  }
  const variable = flagAt(place, name);
  const misnamed = pool === undefined ? undefined : invalidPoolName(pool, variable);
  const key = name.toUpperCase();
  if (misnamed) builder.violations.push(misnamed);
  else if (id !== undefined && !isInstanceId(id)) builder.violations.push(invalidInstanceId(id, variable));
  else if (!isKeyName(key)) builder.violations.push(unknownKey(place, name));
  else {
    const value = text.slice(equals + 1);
    builder.add(place, key, flagAt(place, nameInFile(key)), valueFromText(definitionOf(key), value), value);
  }
}

function placeOf(pool: string | undefined, id: string | undefined): Place {
  if (pool === undefined) return { level: 'global' };
  return id === undefined ? { level: 'pool', pool } : { level: 'instance', pool, id };
}

function malformed(text: string): Violation {
  return {
    code: 'INVALID_VALUE',
    message: `--set ${text.split('=', 1)[0]} is not a setting`,
    variable: '--set',
    fix: SET_FORMS,
  };
}

function unknownKey(place: Place, name: string): Violation {
  const variable = flagAt(place, name);
  const names = KEY_NAMES.filter((key) => levelsOf(key).some((level) => level === place.level)).map(
    nameInFile,
  );
  const near = nearest(name, names)?.name;
  return {
    code: 'UNKNOWN_KEY',
    message: `${variable} is not a known setting`,
    variable,
    fix: near ? `Did you mean ${flagAt(place, near)}?` : `Remove it, or use one of ${names.join(', ')}.`,
  };
}

function noValue(flag: string): Violation {
  return {
    code: 'INVALID_VALUE',
    message: `${flag} is given without a value`,
    variable: flag,
    fix: flag === '--set' ? SET_FORMS : `Write ${flag} <file>.`,
  };
}
