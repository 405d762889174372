import leven from 'leven';
import type { ToolArguments } from '../../connection/tool-connection.js';
import type { SeenElement } from '../snapshots/snapshot-elements.js';

/** What a caller was looking for, as far as its words tell. */
export interface Wanted {
  role?: string | undefined;
  /** Names, texts and words; the more telling ones first. */
  words: readonly string[];
}

/** Candidates that are named. */
const MOST = 4;

/** Elements that are compared. */
const COMPARED = 5_000;

/** Characters of a name that are compared. */
const NAME = 80;

/** A name that is less like what was wanted is no candidate. */
const ALIKE = 0.5;

const SAME_ROLE = 0.3;

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  button: 'button',
  select: 'combobox',
  textarea: 'textbox',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  img: 'img',
};

/** What callers call elements of a role, in selectors and descriptions; no part of their names. */
const KINDS: Readonly<Record<string, string>> = {
  button: 'button',
  btn: 'button',
  link: 'link',
  field: 'textbox',
  input: 'textbox',
  textbox: 'textbox',
  checkbox: 'checkbox',
  dropdown: 'combobox',
  select: 'combobox',
};

/** An element as a model reads it, with the reference to use. */
export function describeElement({ role, name, ref }: SeenElement): string {
  const shown = name.length > NAME ? `${name.slice(0, NAME)}…` : name;
  return `${role === 'generic' ? 'element' : role}${shown === '' ? '' : ` ${JSON.stringify(shown)}`} [ref=${ref}]`;
}

/** What a target that names no element was meant to find: a selector or a locator, and what its caller said of it. */
export function wantedBy(target: string, args: ToolArguments): Wanted {
  const quoted = [...target.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, one, two]) => one ?? two ?? '');
  const byRole = /getByRole\(\s*['"](\w+)['"]/.exec(target)?.[1] ?? /role=(\w+)/.exec(target)?.[1];
  const tag = /^(\w+)(?=[.#:[\s>]|$)/.exec(target)?.[1];
  const given = [args['element'], args['accessibleName'], args['text']].filter(
    (each) => typeof each === 'string',
  );
  const named = quoted.filter((each) => each !== byRole);
  const words = [/^text=(.*)$/.exec(target)?.[1] ?? '', ...given, ...named, identifiersIn(target)].map(plain);
  const kind = words
    .join(' ')
    .split(' ')
    .map((word) => KINDS[word])
    .find((each) => each !== undefined);
  const role = [args['role'], byRole, tag && ROLES[tag], kind].find((each) => typeof each === 'string');
  return { role, words: words.map(withoutKinds).filter((each) => each !== '') };
}

/** The elements whose names are most like what was wanted, the best first. */
export function nearestElements(elements: readonly SeenElement[], { role, words }: Wanted): SeenElement[] {
  return elements
    .slice(0, COMPARED)
    .map((element) => ({
      element,
      rating: Math.max(0, ...words.map((word) => alike(nameOf(element), word))),
    }))
    .filter(({ rating }) => rating >= ALIKE)
    .map(({ element, rating }) => ({ element, rating: rating + (element.role === role ? SAME_ROLE : 0) }))
    .sort((one, other) => other.rating - one.rating)
    .slice(0, MOST)
    .map(({ element }) => element);
}

/** The first elements of a role that have a name. */
export function elementsOfRole(elements: readonly SeenElement[], wanted: string | undefined): SeenElement[] {
  return elements.filter(({ role, name }) => role === wanted && name !== '').slice(0, MOST);
}

function nameOf({ name }: SeenElement): string {
  return plain(name.slice(0, NAME));
}

/** From 0 to 1: by the words that both have, and by the letters that differ. */
function alike(one: string, other: string): number {
  if (one === '' || other === '') return 0;
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  const shared = others.filter((word) => ones.includes(word)).length;
  const byWords = (2 * shared) / Math.max(1, ones.length + others.length);
  return Math.max(byWords, 1 - leven(one, other) / Math.max(one.length, other.length));
}

/** The names in a selector, such as `submit order` of `#submit-order`. */
function identifiersIn(selector: string): string {
  return [...selector.matchAll(/[#.]([\w-]+)|\[\w[\w-]*[~|^$*]?=([\w-]+)\]/g)]
    .map(([, one, two]) => one ?? two ?? '')
    .join(' ');
}

/** Lower-case words with single spaces; `submitOrder` and `submit-order` are two. */
function plain(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Of a single letter much is alike. */
function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word.length > 1);
}

function withoutKinds(text: string): string {
  const rest = text.split(' ').filter((word) => KINDS[word] === undefined);
  return rest.length > 0 ? rest.join(' ') : text;
}
