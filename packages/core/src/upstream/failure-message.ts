import { stripVTControlCharacters } from 'node:util';
import type { ToolArguments } from '../connection/tool-connection.js';

/** What holds an action up, as Playwright's call log tells it. */
const OBSTACLE =
  /intercepts pointer events|element is (?:not (?:visible|enabled|stable|editable)|outside of the viewport|inert)|did not find some options|option being selected is not enabled|element was detached from the DOM/;

/** Generic classes of errors and the names of the functions that threw; a page's own `TypeError` is left. */
const PREFIX = /^(?:(?:Timeout)?Error|[a-z]\w*\.\w+): /;

/** Characters of a message: what a page throws can have any length, and is told twice. */
const MAX_LENGTH = 4_000;

const STACK_LINE = /^\s+at .*(?:\)|:\d+:\d+)$/;

/** Where a script threw: in the function that the caller passed, or in a file of the page. */
const IN_FUNCTION = /<anonymous>:(\d+):\d+\)?$/;
const IN_FILE = /\b((?:https?|file):\/\/\S+:\d+):\d+\)?$/;

/**
 * What went wrong, for a reader who has no use for upstream's insides: without colours, prefixes, call log, stack and the
 * server's directories, but with what the call log shows to have held the action up.
 */
export function cleanMessage(raw: string, args: ToolArguments): string {
  const [told = '', log = ''] = stripVTControlCharacters(raw).split(/\nCall log:\n/);
  const message = withoutPrefix(told)
    .split('\n')
    .filter((line) => !STACK_LINE.test(line))
    .join('\n')
    .replace(/\n✖ (.*)\n +→ at (.*)/g, " '$2': $1.")
    .replace(/ Use browserType\.\w+\(\) instead\.$/, '')
    .trim();
  const cause = message.startsWith('Timeout ') ? causeIn(log) : undefined;
  const whole = cause === undefined ? message : `${message.replace(/\.$/, '')}: ${cause}.`;
  // What is no script has no line: a stack of its error tells of Playwright's own.
  const place = message.startsWith('SyntaxError: ') ? '' : placeIn(told);
  return withoutPaths(shortened(whole) + place, args);
}

/** Where a script threw, in words; empty for what is no error of a script. */
function placeIn(told: string): string {
  const line = told.split('\n').find((each) => STACK_LINE.test(each)) ?? '';
  const file = IN_FILE.exec(line)?.[1];
  if (file !== undefined) return ` (${file})`;
  const number = IN_FUNCTION.exec(line)?.[1];
  return number === undefined ? '' : ` (line ${number} of the function)`;
}

function shortened(message: string): string {
  if (message.length <= MAX_LENGTH) return message;
  const beginning = message.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return `${beginning}… (${message.length} characters in all)`;
}

function withoutPrefix(text: string): string {
  const rest = text.trimStart().replace(PREFIX, '');
  return rest === text.trimStart() ? rest : withoutPrefix(rest);
}

/** What a time-out waited for, and in vain. */
function causeIn(log: string): string | undefined {
  const lines = log.split('\n').map((line) => line.replace(/^[\s-]*(?:\d+ × )?/, '').trim());
  const obstacle = lines.findLast((line) => OBSTACLE.test(line))?.replace(/, retrying$/, '');
  if (obstacle === undefined) return lines.findLast((line) => /^(?:waiting for|navigating to) /.test(line));
  const element = lines.findLast((line) => line.startsWith('locator resolved to '))?.slice(20);
  return element === undefined ? obstacle : `${obstacle} (target: ${element})`;
}

/** Names of files as the caller gave them, and no directory of the server beside. */
function withoutPaths(message: string, args: ToolArguments): string {
  const given = [args['paths'], args['filename']].flat().filter((name) => typeof name === 'string');
  return message
    .replace(/ Allowed roots: .*$/m, '')
    .replace(/^ENOENT: .*'(.*)'$/m, 'No such file: $1')
    .replace(
      /^(File access denied|No such file): (.*?)( is outside allowed roots\.|)$/m,
      (_, what, path, rest) => {
        const name = given.find((each) => path.endsWith(each.replace(/^(?:\.{0,2}\/)+/, '')));
        return `${what}: ${name ?? path}${rest}`;
      },
    );
}
