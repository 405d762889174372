import { reasonOf } from '../../errors.js';
import { isKeyName, type KeyName, levelsOf } from '../keys.js';
import { LayerBuilder } from '../layer.js';
import type { ConfigSource, Place } from '../place.js';
import { joined } from './forms.js';
import type { Keys, UpstreamOption } from './option.js';

/** An option as one source gives it. */
export interface GivenOption {
  option: UpstreamOption;
  /** The flag, the variable, or the path in the file. */
  name: string;
  /** As it was written, for messages. */
  written: unknown;
  value: () => unknown;
}

/** Where the options of upstream's go: what they set for the pool that calls without a target reach. */
export class OptionLayers {
  /** What is set only if nobody sets it otherwise. */
  readonly implied = new LayerBuilder('implied');
  readonly #pool: Place;

  /** @param pool the default pool, or the global level where only the built-in pool is there */
  constructor(pool: Place) {
    this.#pool = pool;
  }

  /** The layer that a source of options makes, with a violation for every option that is refused or has a wrong value. */
  read(source: ConfigSource, given: readonly GivenOption[]): LayerBuilder {
    const builder = new LayerBuilder(source, { definesPools: false });
    const set = new Map<KeyName, { name: string; written: unknown; value: unknown }>();
    for (const each of given) {
      for (const [key, value] of keysOf(each, builder)) {
        const earlier = set.get(key);
        if (earlier) earlier.value = joined(earlier.value, value);
        else set.set(key, { name: each.name, written: each.written, value });
      }
      this.#imply(each);
    }
    for (const [key, { name, written, value }] of set) {
      builder.add(this.#placeOf(key), key, name, value, written);
    }
    return builder;
  }

  #imply({ option, name, value }: GivenOption): void {
    if (!option.implies) return;
    for (const [key, implied] of entriesOf(option.implies(value()))) {
      this.implied.add({ level: 'global' }, key, name, implied);
    }
  }

  #placeOf(key: KeyName): Place {
    const levels: readonly string[] = levelsOf(key);
    return levels.includes(this.#pool.level) ? this.#pool : { level: 'global' };
  }
}

function keysOf({ option, name, written, value }: GivenOption, builder: LayerBuilder): [KeyName, unknown][] {
  const { to } = option;
  let read: unknown;
  try {
    read = value();
  } catch (error) {
    const message = `${name} names a file that cannot be read: ${reasonOf(error)}`;
    const fix = 'Correct the path, or make it a readable file.';
    builder.violations.push({ code: 'FILE_UNREADABLE', message, variable: name, fix });
    return [];
  }
  if (typeof to === 'string') return [[to, read]];
  if ('set' in to) return entriesOf(to.set(read));
  if ('refused' in to && read !== false) {
    const shown = option.form === 'boolean' || typeof written === 'object' ? '' : ` (${String(written)})`;
    builder.violations.push({
      code: 'UNSUPPORTED_OPTION',
      message: `${name}${shown} is an option of playwright-mcp that pwpool does not have`,
      variable: name,
      fix: to.refused,
    });
  }
  return [];
}

function entriesOf(keys: Keys): [KeyName, unknown][] {
  return Object.entries(keys).flatMap(([key, value]) => (isKeyName(key) ? [[key, value]] : []));
}
