import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { reasonOf } from '../../errors.js';
import { nearest } from '../suggest.js';
import { isObject, type JsonObject } from '../values.js';
import type { Violation } from '../violations.js';
import { valueOfJson } from './forms.js';
import type { GivenOption } from './option-layer.js';
import { UPSTREAM_OPTIONS } from './options.js';

const FIELDS = UPSTREAM_OPTIONS.flatMap(({ fields = [] }) => fields);

/** Every name that a field or an object in the file may have, by its path. */
const NAMES = new Set(
  FIELDS.flatMap((field) => {
    const steps = field.split('.').filter((step) => step !== '*');
    return steps.map((_, index) => steps.slice(0, index + 1).join('.'));
  }),
);

/** Reads upstream's JSON configuration file. Every field that it does not know is a violation. */
export function readOptionFile(path: string, cwd: string): { given: GivenOption[]; violations: Violation[] } {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    if (!isObject(json)) throw new Error('it holds no JSON object');
  } catch (error) {
    const fix = path.endsWith('.ini')
      ? 'Write it as JSON: INI files are not read.'
      : 'Correct the path, or the file: it is a JSON object.';
    const message = `The configuration file cannot be read: ${reasonOf(error)}`;
    return { given: [], violations: [{ code: 'FILE_UNREADABLE', message, variable: path, fix }] };
  }
  const file = basename(path);
  const values = new Map<string, unknown>();
  const violations: Violation[] = [];
  const visit = (object: JsonObject, prefix: string) => {
    for (const [member, value] of Object.entries(object)) {
      const field = `${prefix}${member}`;
      const isBranch = FIELDS.some((each) => each.startsWith(`${field}.`));
      const others = `${prefix}*`;
      if (field === '$schema') continue;
      if (isBranch && isObject(value)) visit(value, `${field}.`);
      else if (FIELDS.includes(field)) values.set(field, value);
      else if (isBranch) violations.push(noObject(`${file}: ${field}`));
      else if (FIELDS.includes(others)) {
        const rest = values.get(others);
        values.set(others, { ...(isObject(rest) ? rest : {}), [member]: value });
      } else violations.push(unknownField(file, field));
    }
  };
  visit(json as JsonObject, '');
  dropOtherChannel(values);
  const places = { cwd, directory: dirname(path) };
  const given = UPSTREAM_OPTIONS.flatMap((option) =>
    (option.fields ?? []).flatMap((field): GivenOption[] => {
      if (!values.has(field)) return [];
      const written = values.get(field);
      const name = `${file}: ${field.replace(/\.\*$/, '')}`;
      return [{ option, name, written, value: () => valueOfJson(option.form, written, places) }];
    }),
  );
  return { given, violations };
}

/** As upstream has it: a channel of Chromium's means nothing for another engine. */
function dropOtherChannel(values: Map<string, unknown>): void {
  const engine = values.get('browser.browserName');
  if (engine === 'firefox' || engine === 'webkit') values.delete('browser.launchOptions.channel');
}

function noObject(name: string): Violation {
  return {
    code: 'INVALID_VALUE',
    message: `${name} is not an object`,
    variable: name,
    fix: 'Give an object with options by name, or leave it out.',
  };
}

function unknownField(file: string, field: string): Violation {
  const near = nearest(field, NAMES)?.name;
  return {
    code: 'UNKNOWN_OPTION',
    message: `${file}: ${field} is not an option of playwright-mcp`,
    variable: `${file}: ${field}`,
    fix: near ? `Did you mean ${near}?` : 'Remove it.',
  };
}
