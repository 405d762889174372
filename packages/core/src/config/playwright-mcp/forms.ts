import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isObject } from '../values.js';
import type { OptionForm } from './option.js';

/** Whether a flag of this form may be given more than once, or with several values, which all count. */
export function gathers(form: OptionForm): boolean {
  return form === 'list' || form === 'paths' || form === 'origins' || form === 'headers';
}

/**
 * The value of an option as a person wrote it, in a flag or a variable. What cannot be read stays a text, which its key
 * then refuses.
 * @throws Error when the file of secrets cannot be read
 */
export function valueOfText(form: OptionForm, text: string, cwd: string): unknown {
  switch (form) {
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text;
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'list':
      return items(text, ',');
    case 'origins':
      return items(text, ';');
    case 'headers': {
      const [name = '', ...rest] = text.split(':');
      return { [name.trim()]: rest.join(':').trim() };
    }
    case 'size':
      return text.replace(',', 'x');
    case 'path':
      return resolve(cwd, text);
    case 'paths':
      return [resolve(cwd, text)];
    case 'secrets':
      return parseEnv(readFileSync(resolve(cwd, text), 'utf8'));
    case 'text':
    case 'object':
      return text;
  }
}

/** The value of a field of the JSON file. Upstream sees init files from the file's directory, others from its own. */
export function valueOfJson(
  form: OptionForm,
  value: unknown,
  { cwd, directory }: { cwd: string; directory: string },
): unknown {
  switch (form) {
    case 'size':
      if (value === null) return 'window';
      return isObject(value) ? `${String(value['width'])}x${String(value['height'])}` : value;
    case 'path':
      return typeof value === 'string' ? resolve(cwd, value) : value;
    case 'paths':
      return Array.isArray(value)
        ? value.map((path: unknown) => (typeof path === 'string' ? resolve(directory, path) : path))
        : value;
    default:
      return value;
  }
}

/** Two values of one option, or of two options that set one key, as one: lists and objects add up, else the first counts. */
export function joined(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return [...new Set([...first, ...second])];
  if (isObject(first) && isObject(second)) return { ...first, ...second, ...first };
  return first;
}

function items(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
