import type { Answer } from './peer.js';

/** Where an answer comes from. */
export interface Place {
  /** The temporary directory of its server. */
  readonly directory: string;
  /** The origin of the pages. */
  readonly site: string;
}

/**
 * The text of an answer without what differs from one run to the next: stamps of references, temporary directories,
 * where files with a name made from the time lie, durations, and the line that names the session.
 */
export function normalise(answer: Answer & Place): string {
  const text = answer.text
    .replace(/\b[a-z]{4}((?:f\d+)?e\d+)\b/g, '$1')
    .replaceAll(answer.directory, '<directory>')
    .replaceAll(answer.site, '<site>')
    .replace(/\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[-.]\d+Z?/g, '<time>')
    .replace(/\b1[78]\d{11}\b/g, '<time>')
    .replace(/\b\d+(\.\d+)?ms\b/g, '<duration>')
    .replace(/\[ *<duration>\]/g, '[<duration>]')
    .replace(/[^\s()"']*\/(?=[\w-]+-<time>)/g, '<output>/')
    .replace(/\n?^Session: .*$/gm, '');
  return `${answer.isError ? 'failed' : 'answered'}\n${text.trimEnd()}`;
}
