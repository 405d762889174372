import type { CallAnswer } from '../calls/call-answer.js';
import { nearest } from '../config/suggest.js';
import { PwpoolError, reasonOf } from '../errors.js';
import { faultOfExpression, pathsOf, search } from '../snapshot/jmespath.js';
import type { Json } from '../snapshot/tree-forms.js';
import { factsOf, mapTexts, REFERENCE } from '../toolset/command-references.js';

/**
 * What references of a script find: `{{row.url}}` what the JMESPath expression `row.url` finds among the names, and, as in
 * `browser_execute_bulk`, `${0.url}` what `url` finds in the answer of the first step.
 */
export interface Scope {
  readonly names: Readonly<Record<string, unknown>>;
  /** Of the steps so far, by their position; nothing for one that was left out. */
  readonly answers: readonly (CallAnswer | undefined)[];
}

/** What is known of the names before anything runs: those in each; `undefined` where nothing can be said. */
export type KnownNames = Readonly<Record<string, readonly string[] | undefined>>;

/** A reference in a text. */
interface Reference {
  /** As written. */
  readonly whole: string;
  readonly start: number;
  readonly expression: string;
  /** Whose answer it is about, for `${0.url}`. */
  readonly step?: number;
}

const OPENING = /\{\{/g;
/** A path such as `row.url`, which needs no interpreter. */
const PLAIN_PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** The expression, which may stand in braces where nothing but an expression is expected. */
export function bareExpression(text: string): string {
  const [reference] = referencesIn(text.trim());
  return reference?.whole === text.trim() && reference.step === undefined ? reference.expression : text;
}

/** What is wrong with the references in the texts of a value, in sentences. @param step its position, if it is a step's */
export function faultsOfTemplate(
  value: unknown,
  known: KnownNames,
  step = Number.POSITIVE_INFINITY,
): string[] {
  const faults: string[] = [];
  mapTexts(value, (text) => {
    for (const { whole, expression, step: of } of referencesIn(text)) {
      if (of === undefined)
        faults.push(...faultsOfExpression(expression, known).map((fault) => `${whole}: ${fault}`));
      else if (of >= step) faults.push(`${whole} is not about a step before this one.`);
      else if (faultOfExpression(expression) !== undefined)
        faults.push(`${whole} is not a JMESPath expression.`);
    }
    const open = unclosed(text);
    if (open !== undefined)
      faults.push(`${open} has no end: write {{expression}}, and {{'{{'}} for the braces themselves.`);
    return text;
  });
  return faults;
}

/** What is wrong with an expression, in sentences. */
export function faultsOfExpression(expression: string, known: KnownNames): string[] {
  const fault = faultOfExpression(expression);
  if (fault !== undefined) return [`This is not a JMESPath expression: ${fault}.`];
  return pathsOf(expression).flatMap(({ path: [name = '', member], optional }) => {
    if (!Object.hasOwn(known, name)) {
      return name === 'row'
        ? ["There is no 'row' here: rows come with --data."]
        : [unknown(`There is no '${name}'`, name, Object.keys(known))];
    }
    const members = known[name];
    if (!members || member === undefined || optional || members.includes(member)) return [];
    return [unknown(`'${name}' has no '${member}'`, member, members)];
  });
}

/** The columns that an expression or the texts of a value need. */
export function columnsRead(value: unknown): string[] {
  const expressions: string[] = [];
  mapTexts(value, (text) => {
    expressions.push(
      ...referencesIn(text).flatMap(({ expression, step }) => (step === undefined ? [expression] : [])),
    );
    return text;
  });
  return expressions.flatMap(columnsOf);
}

export function columnsOf(expression: string): string[] {
  return pathsOf(expression).flatMap(({ path: [name, column], optional }) =>
    name === 'row' && column !== undefined && !optional ? [column] : [],
  );
}

export function hasTemplate(value: unknown): boolean {
  let found = false;
  mapTexts(value, (text) => {
    found ||= referencesIn(text).length > 0;
    return text;
  });
  return found;
}

/**
 * Puts what they find in place of the references. A text that is nothing but a reference becomes what was found, of whatever
 * type; within a text it is written out. What was found is data: no reference in it is looked at.
 * @param lenient leave a whole reference that finds nothing as null, and write it as nothing within a text
 * @throws PwpoolError `INVALID_ARGUMENTS` for one that finds nothing
 */
export function fill(value: unknown, scope: Scope, { lenient = false } = {}): unknown {
  const find = (reference: Reference) => {
    const found = foundBy(reference, scope);
    if ((found === undefined || found === null) && !lenient) throw findsNothing(reference, scope);
    return found ?? null;
  };
  return mapTexts(value, (text) => {
    const references = referencesIn(text);
    const [first] = references;
    if (!first) return text;
    if (first.whole === text) return find(first);
    let filled = '';
    let end = 0;
    for (const reference of references) {
      filled += text.slice(end, reference.start) + written(find(reference));
      end = reference.start + reference.whole.length;
    }
    return filled + text.slice(end);
  });
}

/** As `fill`, where only some names are known yet: a text with a reference to anything else, or that finds nothing, stays. */
export function fillKnown(value: unknown, names: Scope['names']): unknown {
  return mapTexts(value, (text) => {
    const known = referencesIn(text).every(
      ({ expression, step }) =>
        step === undefined &&
        pathsOf(expression).every(({ path: [name = ''] }) => Object.hasOwn(names, name)),
    );
    return known ? fill(text, { names, answers: [] }, { lenient: true }) : text;
  });
}

/**
 * What an expression finds among the names.
 * @throws PwpoolError `INVALID_ARGUMENTS` with the words of JMESPath
 */
export function evaluate(expression: string, names: Scope['names']): Json {
  if (PLAIN_PATH.test(expression)) return plainValue(expression, names);
  try {
    return search(names as Json, expression) ?? null;
  } catch (error) {
    throw new PwpoolError('INVALID_ARGUMENTS', `${expression}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** As JMESPath has it: nothing, false, and what is empty are no. */
export function isTrue(value: Json): boolean {
  if (value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** What an expression read, in words: `steps.page.title = "Oops"`. */
export function whatWasRead(expression: string, names: Scope['names']): string {
  const read = [...new Set(pathsOf(expression).map(({ path }) => path.join('.')))];
  return read.map((path) => `${path} = ${short(JSON.stringify(plainValue(path, names)))}`).join(', ');
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function foundBy({ expression, step }: Reference, { names, answers }: Scope): Json | undefined {
  if (step === undefined) return evaluate(expression, names);
  const answer = answers[step];
  return answer?.success ? evaluate(expression, factsOf(answer.result)) : undefined;
}

function plainValue(path: string, names: Scope['names']): Json {
  let found: unknown = names;
  for (const name of path.split('.')) {
    const inside =
      typeof found === 'object' && found !== null && !Array.isArray(found) && Object.hasOwn(found, name);
    found = inside ? (found as Record<string, unknown>)[name] : null;
  }
  return (found ?? null) as Json;
}

function written(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function findsNothing({ whole, expression, step }: Reference, { names, answers }: Scope): PwpoolError {
  const answer = step === undefined ? undefined : answers[step];
  const [
    {
      path: [root = ''],
    } = { path: [] },
  ] = step === undefined ? pathsOf(expression) : [];
  const around = answer?.success ? factsOf(answer.result) : names[root];
  const there = typeof around === 'object' && around !== null ? Object.keys(around) : [];
  return new PwpoolError('INVALID_ARGUMENTS', `${whole} finds nothing.`, {
    hint: there.length > 0 ? `There is: ${there.join(', ')}.` : 'What it is about was left out, or failed.',
  });
}

/** The references in a text, in their order. */
function referencesIn(text: string): Reference[] {
  const found: Reference[] = [];
  for (const { 0: whole, 1: step, 2: expression = '', index } of text.matchAll(REFERENCE)) {
    found.push({ whole, start: index, expression, step: Number(step) });
  }
  OPENING.lastIndex = 0;
  for (let open = OPENING.exec(text); open; open = OPENING.exec(text)) {
    const end = endOf(text, open.index + 2);
    if (end === undefined) break;
    const whole = text.slice(open.index, end + 2);
    found.push({ whole, start: open.index, expression: whole.slice(2, -2).trim() });
    OPENING.lastIndex = end + 2;
  }
  return withoutNested(found.sort((one, other) => one.start - other.start));
}

function withoutNested(references: readonly Reference[]): Reference[] {
  let end = 0;
  return references.filter(({ start, whole }) => {
    const apart = start >= end;
    if (apart) end = start + whole.length;
    return apart;
  });
}

function unclosed(text: string): string | undefined {
  const rest = referencesIn(text).reduceRight(
    (left, { start, whole }) =>
      left.slice(0, start) + ' '.repeat(whole.length) + left.slice(start + whole.length),
    text,
  );
  const open = rest.indexOf('{{');
  return open < 0 ? undefined : short(text.slice(open).split('\n')[0] ?? '');
}

/** Where the `}}` stands that ends the expression: one in quotes, or of a multi-select hash, does not. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (`'"\``.includes(character)) quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '}' && text[at + 1] === '}') return at;
  }
  return undefined;
}

function unknown(fault: string, name: string, names: readonly string[]): string {
  const meant = nearest(name, names)?.name;
  if (meant !== undefined) return `${fault}. Did you mean '${meant}'?`;
  return names.length > 0 ? `${fault}. There is: ${names.join(', ')}.` : `${fault}.`;
}
