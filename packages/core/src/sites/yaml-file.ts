import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { Violation } from '../config/violations.js';
import { reasonOf } from '../errors.js';

/** Text in YAML (or JSON) that knows where in the file each part of its content stands. */
export class YamlFile {
  /** As plain JavaScript values; undefined when there are violations. */
  readonly content: unknown;
  /** What makes the text no YAML. */
  readonly violations: readonly Violation[];
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #document: ReturnType<typeof parseDocument>;

  /** @param name of the file, for messages */
  constructor(text: string, name: string) {
    this.#name = name;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
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

  /** `file:line` of the key or the list item at the end of the path, or of the nearest thing around it. */
  place(path: readonly (string | number)[]): string {
    for (let length = path.length; length > 0; length--) {
      const parent = this.#document.getIn(path.slice(0, length - 1), true);
      const last = path[length - 1];
      const key = isMap(parent) ? parent.items.find((pair) => String(pair.key) === last)?.key : undefined;
      const node = key ?? this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#at(node.range[0]);
    }
    return this.#at(0);
  }

  #at(offset: number): string {
    return `${this.#name}:${this.#lines.linePos(offset).line}`;
  }

  #fault(reason: string, variable: string): Violation {
    return {
      code: 'INVALID_VALUE',
      message: `This is no YAML: ${reason}`,
      variable,
      fix: 'Write the file as in docs/sites.md.',
    };
  }
}
