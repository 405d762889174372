import { parseEndpoint, parseHeaders } from './endpoint.js';
import type { KeyDefinition } from './key-definition.js';
import { parseProxy } from './proxy.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export type SettingValue = boolean | number | string | readonly string[] | JsonObject;

/** Stands for a secret wherever values are shown. */
export const MASKED = '***';

/** Longest delay that Node's timers take. A longer time could not be kept, so it is refused. */
export const MAX_MILLISECONDS = 2 ** 31 - 1;

/** A size of pages: width and height in pixels, or that of the window. */
export const SIZE = /^(?:[1-9]\d{0,4}x[1-9]\d{0,4}|window)$/;

/** What a key takes, in words that follow "must be": as text in a variable, or typed in a file or a program. */
export function expectedValue(definition: KeyDefinition, written: 'text' | 'typed' = 'text'): string {
  switch (definition.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return definition.max === undefined
        ? `a whole number, ${definition.min} or more`
        : `a whole number from ${definition.min} to ${definition.max}`;
    case 'milliseconds':
      return `a whole number of milliseconds from ${definition.min} to ${MAX_MILLISECONDS}`;
    case 'choice':
      return `one of ${definition.choices.join(', ')}`;
    case 'text':
      return definition.default === '' ? 'text' : 'a text that is not empty';
    case 'list': {
      const { choices, separator = ',' } = definition;
      const words = separator === ',' ? 'commas' : `"${separator}"`;
      const separated = written === 'text' ? ` separated by ${words}` : '';
      return `a list${separated}${choices ? ` of ${choices.join(', ')}` : ''}`;
    }
    case 'object': {
      const names = Object.keys(definition.without ?? {});
      const members = definition.of === 'text' ? ' of texts by name' : '';
      const without = names.length > 0 ? ` without ${names.join(', ')}, which have keys of their own` : '';
      return `${written === 'text' ? 'a JSON object' : 'an object'}${members}${without}`;
    }
    case 'size':
      return 'a size such as 1280x720, or window';
    case 'proxy':
      return 'an address such as http://proxy:3128, with http, https, socks4 or socks5';
    case 'path':
      return 'a path';
    case 'file-name':
      return 'the beginning of a file name: no slash, and no dot at its start';
    case 'endpoint':
      return 'a URL with ws, wss, http, https, cdp+ws, cdp+wss, mcp+http, mcp+https, sse+http or sse+https';
    case 'headers':
      return 'a JSON object of texts by header name';
    case 'secret':
      return 'a text that is not empty';
    case 'alias':
      return 'a name that is not empty and not made of digits only';
  }
}

/** Whether a typed value is one that the key takes. */
export function acceptsValue(definition: KeyDefinition, value: unknown): value is SettingValue {
  switch (definition.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return isWholeNumber(value, definition.min, definition.max ?? Number.MAX_SAFE_INTEGER);
    case 'milliseconds':
      return isWholeNumber(value, definition.min, MAX_MILLISECONDS);
    case 'choice':
      return typeof value === 'string' && definition.choices.includes(value);
    case 'text':
      return typeof value === 'string' && (value.trim() !== '' || definition.default === '');
    case 'list':
      return isListOf(value, definition.choices);
    case 'endpoint':
      return typeof value === 'string' && parseEndpoint(value) !== undefined;
    case 'headers':
      return typeof value === 'string' && parseHeaders(value) !== undefined;
    case 'object':
      return isObject(value) && Object.entries(value).every(fitsObject(definition));
    case 'size':
      return typeof value === 'string' && SIZE.test(value);
    case 'proxy':
      return typeof value === 'string' && parseProxy(value) !== undefined;
    case 'file-name':
      return typeof value === 'string' && /^[^/\\\p{Cc}]+$/u.test(value) && !/^\.|^\s*$/.test(value);
    case 'path':
    case 'secret':
      return typeof value === 'string' && value.trim() !== '';
    case 'alias':
      // Digits only are instance ids [000-alias-01].
      return typeof value === 'string' && value.trim() !== '' && !/^\d+$/.test(value);
  }
}

/** The typed value of a text. A text of the wrong form stays a text, which `acceptsValue` then refuses. */
export function valueFromText(definition: KeyDefinition, text: string): unknown {
  switch (definition.type) {
    case 'boolean': {
      const word = text.toLowerCase();
      return word === 'true' ? true : word === 'false' ? false : text;
    }
    case 'integer':
    case 'milliseconds':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'list':
      return text.split(definition.separator ?? ',').map((item) => item.trim());
    case 'object':
      return parsedObject(text) ?? text;
    default:
      return text;
  }
}

/** A value as it may be shown to anyone: what is secret in it is masked. */
export function shownValue<Value>(definition: KeyDefinition, value: Value): Value | string {
  switch (definition.type) {
    case 'secret':
    case 'headers':
      return MASKED;
    case 'object':
      if (!isObject(value)) return MASKED;
      return (definition.secret ? maskedMembers(value) : withoutSecrets(value)) as Value;
    case 'proxy':
      return typeof value === 'string' && value.includes('@')
        ? `${MASKED}@${value.split('@').at(-1)}`
        : value;
    case 'endpoint':
      if (typeof value === 'string') return shownEndpoint(value);
      return typeof value === 'object' ? MASKED : value;
    default:
      return value;
  }
}

/** The user and the query may hold a password or a token. In a refused text nobody knows where they would be. */
function shownEndpoint(text: string): string {
  if (!/[?@#]/.test(text)) return text;
  const endpoint = parseEndpoint(text);
  if (!endpoint) return `${/^[a-z+]+:\/\//i.exec(text)?.[0] ?? ''}${MASKED}`;
  const { username, password, search, hash } = new URL(endpoint.url);
  const address = username + password === '' ? endpoint.label : endpoint.label.replace('//', `//${MASKED}@`);
  return search + hash === '' ? address : `${address}?${MASKED}`;
}

/** Members of options that hold passwords or tokens, or may. */
const SECRET_MEMBERS = /password|credential|headers|cookies|storage|passphrase|^env$/i;

function withoutSecrets(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_MEMBERS.test(name) ? MASKED : isObject(member) ? withoutSecrets(member) : member,
    ]),
  );
}

function maskedMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(value).map((name) => [name, MASKED]));
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fitsObject({ of, without = {} }: { of?: 'text'; without?: Readonly<Record<string, string>> }) {
  return ([name, member]: [string, unknown]) =>
    !Object.hasOwn(without, name) && (of !== 'text' || typeof member === 'string');
}

function parsedObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isListOf(value: unknown, choices: readonly string[] | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string' && item !== '' && (choices?.includes(item) ?? true))
  );
}

function isWholeNumber(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}
