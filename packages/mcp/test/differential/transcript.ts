import type { IntendedDifference } from './intended-differences.js';
import { normalise, type Place } from './normalise.js';
import type { Answer } from './peer.js';
import type { ScenarioCall } from './scenario.js';

/** An answer, and where it comes from. */
export type PlacedAnswer = Answer & Place;

/** Two answers as text: what one says is expected of the other. */
export interface Comparison {
  expected: string;
  received: string;
}

/** Calls with their answers, as text to compare and to read. */
export function transcript(calls: readonly ScenarioCall[], answers: readonly string[]): string {
  return calls
    .map(([tool, args], index) => `> ${tool} ${JSON.stringify(args ?? {})}\n${answers[index]}`)
    .join('\n\n');
}

/**
 * The answers of upstream and of pwpool to one call. Of a call that is to fail, the words of the error differ always:
 * here only that both failed, pwpool's code, and what stands beside the error are compared.
 */
export function besideUpstream(
  [, , code]: ScenarioCall,
  upstream: PlacedAnswer,
  pwpool: PlacedAnswer,
): Comparison {
  if (code === undefined) return { expected: normalise(upstream), received: normalise(pwpool) };
  return {
    expected: failed(upstream, upstream.isError ? code : 'no error'),
    received: failed(pwpool, pwpool.code ?? 'no code'),
  };
}

/** A failure as its code and what stands beside the error's own section. */
function failed(answer: PlacedAnswer, code: string): string {
  const beside = normalise(answer).replace(/^### Error\n(?:(?!### ).*(?:\n|$))*/m, '');
  return `${beside.trimEnd()}\n${code}`;
}

/**
 * A comparison in which the intended differences are replaced by their names on both sides.
 *
 * @param met is told of each difference that was found
 */
export function withoutIntended(
  { expected, received }: Comparison,
  tool: string,
  differences: readonly IntendedDifference[],
  met: (id: string) => void,
): Comparison {
  for (const difference of differences) {
    if (difference.tools && !difference.tools.includes(tool)) continue;
    if (expected.search(difference.expected) < 0 || received.search(difference.received) < 0) continue;
    met(difference.id);
    expected = named(difference.id, expected, difference.expected);
    received = named(difference.id, received, difference.received);
  }
  return { expected, received };
}

/** The text with the name of a difference in the place of what it matches, except for what is kept of that. */
function named(id: string, text: string, pattern: RegExp): string {
  const kept = pattern.global ? undefined : pattern.exec(text)?.groups?.['kept'];
  return text.replace(pattern, () => `<${id}>${kept ?? ''}`);
}
