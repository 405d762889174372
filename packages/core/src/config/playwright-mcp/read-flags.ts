import { nearest } from '../suggest.js';
import type { Violation } from '../violations.js';
import { gathers, joined, valueOfText } from './forms.js';
import type { UpstreamOption } from './option.js';
import type { GivenOption } from './option-layer.js';
import { UPSTREAM_OPTIONS } from './options.js';

interface Flag {
  option: UpstreamOption;
  /** What it is without a value: true, or false for `--no-…`. Undefined if it takes one. */
  alone: boolean | undefined;
}

/** Every flag by its name, and each that switches something with its opposite. */
const FLAGS: ReadonlyMap<string, Flag> = new Map(
  UPSTREAM_OPTIONS.flatMap((option): [string, Flag][] => {
    const name = option.flag?.split(' ')[0];
    if (name === undefined) return [];
    if (option.form !== 'boolean') return [[name, { option, alone: undefined }]];
    const word = name.replace(/^--(?:no-)?/, '');
    return [
      [`--${word}`, { option, alone: true }],
      [`--no-${word}`, { option, alone: false }],
    ];
  }),
);

/** Reads a command line of playwright-mcp's flags: `--flag value`, `--flag=value`, and values after a flag that takes several. */
export function readFlags(
  args: readonly string[],
  cwd: string,
): { given: GivenOption[]; violations: Violation[] } {
  const texts = new Map<UpstreamOption, { name: string; texts: string[]; alone: boolean | undefined }>();
  const violations: Violation[] = [];
  for (let at = 0; at < args.length; at++) {
    const [name = '', ...rest] = (args[at] ?? '').split('=');
    const flag = FLAGS.get(name);
    if (!flag) {
      violations.push(unknownFlag(name));
      // What follows a misspelt flag is most likely its value.
      while (at + 1 < args.length && !args[at + 1]?.startsWith('-')) at++;
      continue;
    }
    const { option, alone } = flag;
    const found = rest.length > 0 ? [rest.join('=')] : [];
    if (alone === undefined && found.length === 0 && at + 1 < args.length) found.push(args[++at] ?? '');
    if (option.flag?.endsWith('...>')) {
      while (at + 1 < args.length && !args[at + 1]?.startsWith('-')) found.push(args[++at] ?? '');
    }
    if (alone === undefined && found.length === 0) {
      violations.push(noValue(name, option));
      continue;
    }
    const earlier = gathers(option.form) ? (texts.get(option)?.texts ?? []) : [];
    texts.set(option, { name, texts: [...earlier, ...found], alone });
  }
  const given = UPSTREAM_OPTIONS.flatMap((option): GivenOption[] => {
    const found = texts.get(option);
    const words = found?.texts.filter((text) => text.trim() !== '') ?? [];
    if (!found || (found.alone === undefined && words.length === 0)) return [];
    const { name, alone } = found;
    if (words.length === 0) return [{ option, name, written: alone, value: () => alone }];
    const value = () => {
      const [first, ...others] = words.map((text) => valueOfText(option.form, text, cwd));
      const all = others.reduce(joined, first);
      return alone === false && typeof all === 'boolean' ? !all : all;
    };
    return [{ option, name, written: words.join(' '), value }];
  });
  return { given, violations };
}

function unknownFlag(name: string): Violation {
  const near = name.startsWith('-') ? nearest(name, FLAGS.keys())?.name : undefined;
  return {
    code: 'UNKNOWN_OPTION',
    message: `${name} is not an option`,
    variable: name,
    fix: near ? `Did you mean ${near}?` : 'Remove it; --help lists the options.',
  };
}

function noValue(name: string, { flag }: UpstreamOption): Violation {
  return {
    code: 'INVALID_VALUE',
    message: `${name} is given without a value`,
    variable: name,
    fix: `Write ${flag}.`,
  };
}
