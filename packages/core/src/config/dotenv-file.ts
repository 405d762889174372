import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { reasonOf } from '../errors.js';
import type { ConfigWarning, Violation } from './violations.js';

/** A `.env` file: what it sets, in the order written, and what in it cannot have been meant. */
export interface DotenvFile {
  variables: Readonly<Record<string, string>>;
  violations: readonly Violation[];
  warnings: readonly ConfigWarning[];
  /** The absolute path, if there is such a file and it was read. */
  files: readonly string[];
}

/** Reads the `.env` file of a directory: empty if there is none, a violation if it cannot be read. */
export function readDotenvFile(directory: string): DotenvFile {
  const path = resolve(join(directory, '.env'));
  try {
    return { ...parseDotenv(readFileSync(path, 'utf8')), violations: [], files: [path] };
  } catch (error) {
    const none: DotenvFile = { variables: {}, violations: [], warnings: [], files: [] };
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none;
    const violation: Violation = {
      code: 'DOTENV_UNREADABLE',
      message: `The .env file cannot be read: ${reasonOf(error)}`,
      variable: path,
      fix: 'Make it a readable file, or remove it.',
    };
    return { ...none, violations: [violation] };
  }
}

/** A line, or the lines that a value in quotes goes over. */
const STATEMENT =
  /^[^\S\n]*(?:(?<comment>#.*|$)|(?:export[^\S\n]+)?(?<name>[^=\s][^=\n]*?)[^\S\n]*=[^\S\n]*(?:(?<quote>["'`])[\s\S]*?\k<quote>.*|.*)|.*)$/gm;

/** Names that pwpool may read: of others it tells nothing. */
const OWN_NAME = /^(?:PW|PLAYWRIGHT_MCP_)/i;

function parseDotenv(source: string): Pick<DotenvFile, 'variables' | 'warnings'> {
  // A byte order mark would become part of the first name, which would then be overlooked.
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const variables: Record<string, string> = {};
  const linesOf = new Map<string, number[]>();
  const ignored: number[] = [];
  let line = 1;
  for (const { 0: statement, groups: { comment, name } = {} } of text.matchAll(STATEMENT)) {
    if (name !== undefined) {
      // One at a time: Node keeps neither their order nor what stands behind a line that it cannot read.
      Object.assign(variables, parseEnv(statement));
      linesOf.set(name, [...(linesOf.get(name) ?? []), line]);
    } else if (comment === undefined) {
      ignored.push(line);
    }
    line += statement.split('\n').length;
  }
  const repeated = [...linesOf].filter(([name, lines]) => lines.length > 1 && OWN_NAME.test(name));
  return {
    variables,
    warnings: [
      ...(ignored.length > 0 ? [ignoredLines(ignored)] : []),
      ...repeated.map(([name, lines]) => duplicate(name, lines)),
    ],
  };
}

/** The lines are not quoted: they may hold the rest of a secret. */
function ignoredLines(lines: readonly number[]): ConfigWarning {
  const one = lines.length === 1;
  return {
    code: 'DOTENV_IGNORED_LINE',
    message: `${one ? 'A line' : `${lines.length} lines`} of .env ${one ? 'is no assignment and was' : 'are no assignments and were'} ignored`,
    variable: `.env:${lines.join(', .env:')}`,
    fix: 'Write NAME=value, put a value of several lines in quotes, or begin the line with #.',
  };
}

function duplicate(name: string, lines: readonly number[]): ConfigWarning {
  return {
    code: 'DOTENV_DUPLICATE',
    message: `${name} is set ${lines.length} times in .env (lines ${lines.join(', ')}): the last one counts`,
    variable: name,
    fix: 'Keep one of them.',
  };
}
