import { inspect } from 'node:util';
import type { SettableLevel } from './key-definition.js';
import { KEY_NAMES, type KeyName, levelsOf } from './keys.js';
import type { LayerBuilder } from './layer.js';
import { invalidInstanceId, invalidPoolName, isInstanceId, type Place, pathAt } from './place.js';
import { nearest } from './suggest.js';
import { isObject } from './values.js';
import type { Violation } from './violations.js';

/** How keys are called in a tree of settings. */
export interface TreeForm {
  /** The tree as a whole, in messages. */
  readonly root: string;
  readonly nameOf: (key: KeyName) => string;
  /** The value as its key takes it, of one that the form writes otherwise. Default: as written. */
  readonly typed?: (key: KeyName, written: unknown) => unknown;
}

/** The name that holds the next narrower level. */
const CHILDREN = { global: 'pools', pool: 'instance', instance: undefined } as const;

/** Adds a tree of settings to a layer: the three levels, checked again whatever its types say. Undefined is not set. */
export function readTree(builder: LayerBuilder, tree: unknown, form: TreeForm): void {
  const reader = new TreeReader(builder, form);
  const pools = reader.readObject({ level: 'global' }, tree, form.root);
  for (const [pool, settings] of reader.membersOf(pools, 'pools')) {
    const path = `pools.${pool}`;
    const misnamed = invalidPoolName(pool, path);
    if (misnamed) builder.violations.push(misnamed);
    builder.addPool(pool);
    const instances = reader.readObject({ level: 'pool', pool }, settings, path);
    for (const [id, overrides] of reader.membersOf(instances, `${path}.instance`)) {
      const instancePath = `${path}.instance.${id}`;
      if (!isInstanceId(id)) builder.violations.push(invalidInstanceId(id, instancePath));
      reader.readObject({ level: 'instance', pool, id }, overrides, instancePath);
    }
  }
}

class TreeReader {
  readonly #builder: LayerBuilder;
  readonly #form: TreeForm;
  readonly #keys: ReadonlyMap<string, KeyName>;

  constructor(builder: LayerBuilder, form: TreeForm) {
    this.#builder = builder;
    this.#form = form;
    this.#keys = new Map(KEY_NAMES.map((key) => [form.nameOf(key), key]));
  }

  /** Adds the keys of one object, and returns what it holds for the next narrower level. */
  readObject(place: Place, object: unknown, path: string): unknown {
    const child = CHILDREN[place.level];
    const { typed = (_: KeyName, written: unknown) => written } = this.#form;
    let children: unknown;
    for (const [name, written] of this.membersOf(object, path)) {
      if (written === undefined) continue;
      const key = this.#keys.get(name);
      if (name === child) children = written;
      else if (key) this.#builder.add(place, key, pathAt(place, name), typed(key, written), written);
      else this.#builder.violations.push(this.#unknown(place, name));
    }
    return children;
  }

  membersOf(value: unknown, path: string): [string, unknown][] {
    if (value === undefined) return [];
    if (isObject(value)) return Object.entries(value);
    this.#builder.violations.push({
      code: 'INVALID_VALUE',
      message: `${path} is ${inspect(value, { depth: 0 })}, but must be an object`,
      variable: path,
      fix: 'Give an object with settings by name, or leave it out.',
    });
    return [];
  }

  #unknown(place: Place, name: string): Violation {
    const names = KEY_NAMES.filter((key) => includesLevel(key, place.level)).map(this.#form.nameOf);
    const child = CHILDREN[place.level];
    const allowed: string[] = child ? [...names, child] : names;
    const near = nearest(name, allowed)?.name;
    return {
      code: 'UNKNOWN_KEY',
      message: `${pathAt(place, name)} is not a known setting`,
      variable: pathAt(place, name),
      fix: near ? `Did you mean ${pathAt(place, near)}?` : `Remove it, or use one of ${allowed.join(', ')}.`,
    };
  }
}

function includesLevel(key: KeyName, level: SettableLevel): boolean {
  const levels: readonly SettableLevel[] = levelsOf(key);
  return levels.includes(level);
}
