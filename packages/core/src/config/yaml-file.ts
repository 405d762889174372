import { createRequire } from 'node:module';
import type { Document, LineCounter } from 'yaml';
import { reasonOf } from '../errors.js';
import type { Violation } from './violations.js';

/** Loaded with the first file: a server without one is up the sooner. */
function yaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml') as typeof import('yaml');
}

/** Text in YAML (or JSON) that knows where in the file each part of its content stands. */
export class YamlFile {
  /** As plain JavaScript values; undefined when there are violations. */
  readonly content: unknown;
  /** What makes the text no YAML. */
  readonly violations: readonly Violation[];
  readonly #name: string;
  readonly #guide: string;
  readonly #lines: LineCounter;
  readonly #document: Document;

  /**
   * @param name of the file, for messages
   * @param guide the page that tells how such a file is written
   */
  constructor(text: string, name: string, guide: string) {
    const { LineCounter, parseDocument } = yaml();
    this.#name = name;
    this.#guide = guide;
    this.#lines = new LineCounter();
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, merge: true });
    const { errors, warnings } = this.#document;
    const faults = [...errors, ...warnings].map(({ message, pos }) => this.#fault(message, this.#at(pos[0])));
    try {
      this.content = faults.length > 0 ? undefined : this.#document.toJS();
    } catch (error) {
      // Of aliases, also those that would grow without end, the library tells only now.
      faults.push(this.#fault(reasonOf(error), name));
    }
    this.violations = faults;
  }

  /** `file:line:column` of the key or the list item at the end of the path, or of the nearest thing around it. */
  place(path: readonly (string | number)[]): string {
    const { isAlias, isMap, isNode, isSeq } = yaml();
    let node: unknown = this.#document.contents;
    let offset = 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.#document);
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(step)) : undefined;
      const value: unknown = isSeq(node) ? node.items[Number(step)] : pair?.value;
      const found = pair?.key ?? value;
      if (!isNode(found) || !found.range) break;
      offset = found.range[0];
      node = value;
    }
    return this.#at(offset);
  }

  #at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#name}:${line}:${col}`;
  }

  #fault(reason: string, variable: string): Violation {
    return {
      code: 'INVALID_VALUE',
      message: `This is not YAML: ${reason}`,
      variable,
      fix: `Write the file as in ${this.#guide}.`,
    };
  }
}
