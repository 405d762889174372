import { stripVTControlCharacters } from 'node:util';
import { reasonOf } from '../../errors.js';

/** Why a launch failed, in words that are for others than Playwright's developers. */
export interface LaunchFailure {
  reason: string;
  /** What to do about it, where that is known. */
  hint?: string;
}

/** Characters of the browser's own words that are passed on. */
const MAX_WORDS = 400;
/** So many of its last lines. */
const LAST_LINES = 3;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /error while loading shared libraries/,
    'Install the libraries that it needs on this machine: npx playwright install-deps chromium.',
  ],
  [
    /XServer|X server|\$DISPLAY/,
    'Without a window it needs no display: headless true, or HEADLESS=true. For one with a window start pwpool where there is a display, or with xvfb-run.',
  ],
];

/**
 * The cause in what Playwright threw. When the browser ended of itself, that is what it said last: Playwright's own
 * message is no more than that it has been closed. Command lines, colours and process ids are left out.
 */
export function launchFailure(error: unknown): LaunchFailure {
  const text = stripVTControlCharacters(reasonOf(error));
  const [head = '', log = ''] = text.split(/\n(?:Browser logs|Call log|=+)/, 2);
  const said = head.trim().replace(/^[a-z]\w*(?:\.\w+)+: /, '');
  const ended = said.includes('has been closed');
  const reason = ended ? (adviceIn(log) ?? lastWordsIn(log) ?? exitIn(text) ?? said) : said;
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  return hint === undefined ? { reason } : { reason, hint };
}

/** Playwright's own advice, which it draws a box around. */
function adviceIn(log: string): string | undefined {
  const lines = [...log.matchAll(/^║ (.*?) *║$/gm)].map(([, line = '']) => line);
  const words = lines.filter((line) => line !== '' && !line.startsWith('<3'));
  return words.length === 0 ? undefined : words.join(' ');
}

/** What the browser wrote to stderr, without the process and source file that Chromium puts in front. */
function lastWordsIn(log: string): string | undefined {
  const lines = [...log.matchAll(/^\[pid=\d+\]\[err\] (.*)$/gm)]
    .map(([, line = '']) =>
      line.replace(/^\[[\d:/.]+:[A-Z]+:[^\]]*\] /, '').replace(/^\/\S+: (?=error )/, ''),
    )
    .filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines.slice(-LAST_LINES).join(' ').slice(0, MAX_WORDS);
}

function exitIn(text: string): string | undefined {
  const code = /<process did exit: exitCode=(\d+)/.exec(text)?.[1];
  return code === undefined ? undefined : `it ended at once with exit code ${code}, and said nothing`;
}
