import { inspect } from 'node:util';
import { definitionOf, type KeyName } from './keys.js';
import { type ConfigSource, type Place, wrongLevel } from './place.js';
import { acceptsValue, expectedValue, type SettingValue, shownValue } from './values.js';
import type { ConfigWarning, Violation } from './violations.js';

/** One key as a source sets it. */
export interface Entry {
  place: Place;
  key: KeyName;
  /** The variable or path that sets it. */
  name: string;
  /** Undefined when the value was refused: the key is set, but to nothing that can be used. */
  value: SettingValue | undefined;
  /** Where in which file that is, as `file:line:column`, if it is in one. */
  location?: string | undefined;
}

export interface LayerOptions {
  /** Whether a pool is there because this source names it. Default: true. */
  readonly definesPools?: boolean;
  /** Where in which file a name stands, as `file:line:column`. Default: in none. */
  readonly locationOf?: (name: string) => string | undefined;
}

/** All that one source sets, as data. */
export interface Layer {
  source: ConfigSource;
  entries: readonly Entry[];
  /** Pools that the source names, with or without keys: as they are written, or by name where the source has no order. */
  pools: ReadonlySet<string>;
}

/** Gathers a layer and the violations met on the way, so that a reader never stops at the first one. */
export class LayerBuilder {
  readonly violations: Violation[] = [];
  readonly warnings: ConfigWarning[] = [];
  readonly #entries: Entry[] = [];
  readonly #pools = new Set<string>();
  readonly #source: ConfigSource;
  readonly #definesPools: boolean;
  /** Where in which file a name stands, if this source is one that has it. */
  readonly locationOf: (name: string) => string | undefined;

  constructor(source: ConfigSource, options: LayerOptions = {}) {
    const { definesPools = true, locationOf = () => undefined } = options;
    this.#source = source;
    this.#definesPools = definesPools;
    this.locationOf = locationOf;
  }

  addPool(pool: string): void {
    this.#pools.add(pool);
  }

  /** Adds a typed value, or the violation of its level or form; `written` is the value as a person wrote it. */
  add(place: Place, key: KeyName, name: string, value: unknown, written = value): void {
    const misplaced = wrongLevel(this.#source, place, key, name);
    if (misplaced) {
      this.violations.push(misplaced);
      return;
    }
    if (place.level !== 'global' && this.#definesPools) this.addPool(place.pool);
    const accepted = acceptsValue(definitionOf(key), value) ? value : undefined;
    if (accepted === undefined) this.violations.push(this.#invalidValue(key, name, written));
    this.#entries.push({ place, key, name, value: accepted, location: this.locationOf(name) });
  }

  layer(): Layer {
    const pools = this.#source === 'environment' ? new Set([...this.#pools].sort()) : this.#pools;
    return { source: this.#source, entries: this.#entries, pools };
  }

  #invalidValue(key: KeyName, name: string, written: unknown): Violation {
    const definition = definitionOf(key);
    const isText = this.#source === 'environment' || this.#source === 'dotenv' || this.#source === 'flags';
    const expected = expectedValue(definition, isText ? 'text' : 'typed');
    const value = shownValue(definition, written);
    const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
    const where = this.#source === 'dotenv' ? ' in .env' : '';
    return {
      code: 'INVALID_VALUE',
      message: `${name} is ${shown}${where}, but must be ${expected}`,
      variable: name,
      fix: `Set it to ${expected}${definition.required ? '' : ', or remove it'}.`,
    };
  }
}
