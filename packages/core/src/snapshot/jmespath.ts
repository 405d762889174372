import { createRequire } from 'node:module';
import { type Context, createContext, Script } from 'node:vm';
import type { compile } from '@jmespath-community/jmespath';
import { reasonOf } from '../errors.js';
import type { Json } from './tree-forms.js';

type Library = typeof import('@jmespath-community/jmespath');
type Expression = ReturnType<typeof compile>;

/** Milliseconds that an expression may take. No other call is served meanwhile. */
const TIMEOUT_MS = 1_000;

let library: Library | undefined;

/** Where expressions are evaluated: one for all, since making one takes longer than most expressions. */
let realm: Context | undefined;
const FIND = new Script('find()');

/** Loaded with the first expression, which few calls have. */
function jmespath(): Library {
  if (library) return library;
  const require = createRequire(import.meta.url);
  library = require('@jmespath-community/jmespath') as Library;
  addFunctions(library);
  return library;
}

/** The functions beside those of JMESPath [arch-answer-02]. */
function addFunctions({ registerFunction, TYPE_ANY, TYPE_STRING }: Library): void {
  const any = { types: [TYPE_ANY] };
  const text = { types: [TYPE_STRING] };
  // The library keeps them for the whole process, in which pwpool may be loaded twice.
  const again = { override: true };
  registerFunction('nvl', ([value, other]) => (value as Json) ?? (other as Json), [any, any], again);
  registerFunction('int', ([value]) => wholeNumber(value as Json), [any], again);
  const str = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  registerFunction('str', ([value]) => str(value), [any], again);
  registerFunction(
    'regex_replace',
    ([pattern, replacement, value]) =>
      String(value).replace(new RegExp(String(pattern), 'g'), String(replacement)),
    [text, text, text],
    again,
  );
}

function wholeNumber(value: Json): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : null;
}

/** What is wrong with an expression, in words; `undefined` for one that can be evaluated. */
export function faultOfExpression(expression: string): string | undefined {
  try {
    const unknown = functionsOf(jmespath().compile(expression)).find(
      (name) => !jmespath().isRegistered(name),
    );
    return unknown === undefined ? undefined : `there is no function ${unknown}()`;
  } catch (error) {
    return reasonOf(error);
  }
}

function functionsOf(expression: Expression): string[] {
  const names: string[] = [];
  JSON.stringify(expression, (_, node: unknown) => {
    if (isFunction(node)) names.push(node.name);
    return node;
  });
  return names;
}

/** A place in the data that an expression reads: `row`, `url`. */
export interface ReadPath {
  readonly path: readonly string[];
  /** The expression says what is to be instead when nothing is there. */
  readonly optional: boolean;
}

/** What an expression reads of its data, as far as its text tells. Of one that is faulty, nothing. */
export function pathsOf(expression: string): ReadPath[] {
  try {
    return readBy(jmespath().compile(expression), false);
  } catch {
    return [];
  }
}

/** Functions that take what is not there. */
const TAKES_NOTHING: ReadonlySet<string> = new Set(['nvl', 'not_null', 'type']);

function readBy(node: Expression, optional: boolean): ReadPath[] {
  const among = (nodes: readonly Expression[], may = optional) => nodes.flatMap((each) => readBy(each, may));
  switch (node.type) {
    case 'Field':
      return [{ path: [node.name], optional }];
    case 'Subexpression': {
      const left = readBy(node.left, optional);
      const [only] = left;
      const isPath = node.left.type === 'Field' || node.left.type === 'Subexpression';
      if (!(isPath && only && left.length === 1 && node.right.type === 'Field')) return left;
      return [{ path: [...only.path, node.right.name], optional }];
    }
    // What is on the right reads what the left found.
    case 'IndexExpression':
    case 'Projection':
    case 'ValueProjection':
    case 'FilterProjection':
    case 'Pipe':
      return readBy(node.left, optional);
    case 'OrExpression':
      return among([node.left, node.right], true);
    case 'AndExpression':
    case 'Comparator':
    case 'Arithmetic':
      return among([node.left, node.right]);
    case 'NotExpression':
      return readBy(node.child, true);
    case 'Flatten':
      return readBy(node.child, optional);
    case 'Ternary':
      return among([node.condition, node.trueExpr, node.falseExpr]);
    case 'MultiSelectList':
      return among(node.children);
    case 'MultiSelectHash':
      return among(node.children.map(({ value }) => value));
    case 'Function':
      return among(node.children, optional || TAKES_NOTHING.has(node.name));
    default:
      return [];
  }
}

function isFunction(node: unknown): node is { name: string } {
  return typeof node === 'object' && node !== null && 'type' in node && node.type === 'Function';
}

/**
 * What the expression finds in the data. It is stopped when it takes longer than a second, regular expressions in it as
 * well: Node stops a script wherever it is.
 * @throws Error in words of JMESPath
 */
export function search(data: Json, expression: string, tries = 3): Json {
  realm ??= createContext({ find: undefined });
  realm['find'] = () => jmespath().search(data, expression);
  const before = process.cpuUsage();
  try {
    return FIND.runInContext(realm, { timeout: TIMEOUT_MS }) as Json;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    // A machine that had no time for this process says nothing of the expression.
    const { user, system } = process.cpuUsage(before);
    if (tries > 1 && user + system < TIMEOUT_MS * 500) return search(data, expression, tries - 1);
    throw new Error(`it takes longer than ${TIMEOUT_MS / 1000} s`);
  } finally {
    realm['find'] = undefined;
  }
}

/** Node's error for it is one of the script's realm. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
