import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { errnoOf, reasonOf } from '../errors.js';
import type { ConfigWarning, Violation } from './violations.js';

/** A `.env` file: what it sets, in the order written, and what in it cannot have been meant. */
export interface DotenvFile {
  variables: Readonly<Record<string, string>>;
  violations: readonly Violation[];
  warnings: readonly ConfigWarning[];
  /** The absolute path, if there is such a file and it was read. */
  files: readonly string[];
  /** Where a variable is set, as `file:line`. */
  locationOf: (name: string) => string | undefined;
}

/**
 * Reads a file of variables: that of a directory, empty if there is none, or the one named; a violation if it cannot be
 * read.
 * @param named from `--env-file`, seen from the directory
 */
export function readDotenvFile(directory: string, named?: string): DotenvFile {
  const name = named ?? '.env';
  const path = resolve(directory, name);
  try {
    return { ...parseDotenv(readFileSync(path, 'utf8'), name), violations: [], files: [path] };
  } catch (error) {
    const none: DotenvFile = {
      variables: {},
      violations: [],
      warnings: [],
      files: [],
      locationOf: () => undefined,
    };
    const isMissing = errnoOf(error) === 'ENOENT';
    if (isMissing && named === undefined) return none;
    const violation: Violation = {
      code: 'DOTENV_UNREADABLE',
      message: `The ${named === undefined ? '.env file' : 'file of --env-file'} cannot be read: ${reasonOf(error)}`,
      variable: path,
      fix:
        named === undefined ? 'Make it a readable file, or remove it.' : 'Correct the path, or leave it out.',
    };
    return { ...none, violations: [violation] };
  }
}

/** A line, or the lines that a value in quotes goes over. */
const STATEMENT =
  /^[^\S\n]*(?:(?<comment>#.*|$)|(?:export[^\S\n]+)?(?<name>[^=\s][^=\n]*?)[^\S\n]*=[^\S\n]*(?:(?<quote>["'`])[\s\S]*?\k<quote>.*|.*)|.*)$/gm;

/** Names that pwpool may read: of others it tells nothing. */
const OWN_NAME = /^(?:PW|PLAYWRIGHT_MCP_)/i;

function parseDotenv(source: string, file: string): Omit<DotenvFile, 'violations' | 'files'> {
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
      ...(ignored.length > 0 ? [ignoredLines(file, ignored)] : []),
      ...repeated.map(([name, lines]) => duplicate(file, name, lines)),
    ],
    // The last one counts.
    locationOf: (name) => {
      const line = linesOf.get(name)?.at(-1);
      return line === undefined ? undefined : `${file}:${line}`;
    },
  };
}

/** The lines are not quoted: they may hold the rest of a secret. */
function ignoredLines(file: string, lines: readonly number[]): ConfigWarning {
  const one = lines.length === 1;
  return {
    code: 'DOTENV_IGNORED_LINE',
    message: `${one ? 'A line' : `${lines.length} lines`} of ${file} ${one ? 'is not an assignment and was' : 'are not assignments and were'} ignored`,
    variable: lines.map((line) => `${file}:${line}`).join(', '),
    fix: 'Write NAME=value, put a value of several lines in quotes, or begin the line with #.',
  };
}

function duplicate(file: string, name: string, lines: readonly number[]): ConfigWarning {
  return {
    code: 'DOTENV_DUPLICATE',
    message: `${name} is set ${lines.length} times in ${file} (lines ${lines.join(', ')}): the last one counts`,
    variable: name,
    fix: 'Keep one of them.',
  };
}
