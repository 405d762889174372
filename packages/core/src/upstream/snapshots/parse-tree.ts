/** One node of a page's accessibility tree, as a snapshot tells of it, without what is in it. */
export interface AriaNode {
  /** `button`, `link`, …; `text` for a text between elements. */
  readonly role: string;
  readonly name?: string;
  /** `ref`, `level`, `checked`, `disabled`, …, in the order of the snapshot. */
  readonly attributes: Readonly<Record<string, string | number | true>>;
  /** `url` and `placeholder`. */
  readonly properties: Readonly<Record<string, string>>;
  /** The text of an element that has nothing else in it, or of a text. */
  readonly text?: string;
}

/** A node at its place: a tree is its rows in the order of the document, which no depth of nesting makes overflow. */
export interface AriaRow {
  /** 0 at the top. */
  readonly depth: number;
  readonly node: AriaNode;
}

const ROLE = /[a-z][\w-]*/iy;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/;
const ATTRIBUTE = / \[([a-z-]+)(?:=([^\]\n]*))?\]/y;

/** What stands for a character that YAML does not let stand for itself. */
const ESCAPED = /\\(?:x([0-9a-f]{2})|(.))/g;
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** `/url: …`, of the node before it. */
const PROPERTY = /^\/(\w+): (.*)$/s;

/**
 * Reads a snapshot as Playwright prints it: a line an element, `- role "name" [attribute]: text`, two spaces deeper for
 * what is in it, `- /url: …` for its properties, `- text: …` for texts. In one pass, and in time that grows with its
 * length whatever a page says. A line of another form becomes a text.
 *
 * A node is read when it is first looked at: of a long page most are only counted.
 */
export function parseTree(snapshot: string): AriaRow[] {
  const rows: LineRow[] = [];
  if (snapshot === '') return rows;
  for (const line of snapshot.split('\n')) {
    const dash = line.search(/[^ ]/);
    const body = line.startsWith('- ', dash) ? line.slice(dash + 2) : undefined;
    const last = rows.at(-1);
    if (last && body?.startsWith('/') && PROPERTY.test(body)) {
      last.properties.push(body);
      continue;
    }
    // Nothing is deeper than in the node before it.
    const depth = Math.min(Math.max(dash, 0) >> 1, (last?.depth ?? -1) + 1);
    rows.push(new LineRow(depth, line, body));
  }
  return rows;
}

/** A row that knows its lines. */
class LineRow implements AriaRow {
  readonly depth: number;
  /** The lines of its properties, without what they begin with. */
  readonly properties: string[] = [];
  readonly #line: string;
  readonly #body: string | undefined;
  #node: AriaNode | undefined;

  constructor(depth: number, line: string, body: string | undefined) {
    this.depth = depth;
    this.#line = line;
    this.#body = body;
  }

  get node(): AriaNode {
    this.#node ??= this.#read();
    return this.#node;
  }

  #read(): AriaNode {
    const body = this.#body;
    const node = (body === undefined ? undefined : parseNode(body)) ?? textNode(this.#line.trim());
    const properties = this.properties.map((each): [string, string] => {
      const [, name = '', value = ''] = PROPERTY.exec(each) ?? [];
      return [name, parseValue(value)];
    });
    return { ...node, properties: Object.fromEntries(properties) };
  }
}

function textNode(text: string): AriaNode {
  return { role: 'text', attributes: {}, properties: {}, text };
}

function parseNode(body: string): AriaNode | undefined {
  const quoted = body.startsWith("'");
  const end = quoted ? endOfQuoted(body) : undefined;
  const parsed = parseKey(end === undefined ? body : body.slice(1, end).replaceAll("''", "'"));
  if (!parsed) return undefined;
  const { rest: unread, ...node } = parsed;
  if (end !== undefined && unread !== '') return undefined;
  const rest = end === undefined ? unread : body.slice(end + 1);
  if (rest === '' || rest === ':') return node;
  return rest.startsWith(': ') ? { ...node, text: parseValue(rest.slice(2)) } : undefined;
}

/** Where the text in single quotes ends that a line begins with. A quote in it is doubled. */
function endOfQuoted(text: string): number | undefined {
  let end = text.indexOf("'", 1);
  while (end >= 0 && text[end + 1] === "'") end = text.indexOf("'", end + 2);
  return end < 0 ? undefined : end;
}

/** `role "name" [attribute]…`, and what comes behind it. */
function parseKey(key: string): (AriaNode & { rest: string }) | undefined {
  const role = matchAt(ROLE, key, 0)?.[0];
  if (role === undefined) return undefined;
  let at = role.length;
  let name: string | undefined;
  if (key.startsWith(' "', at)) {
    const end = endOfName(key, at + 2);
    name = end === undefined ? undefined : parseName(key.slice(at + 1, end));
    if (end === undefined || name === undefined) return undefined;
    at = end;
  }
  const attributes: Record<string, string | number | true> = {};
  for (let found = matchAt(ATTRIBUTE, key, at); found; found = matchAt(ATTRIBUTE, key, at)) {
    const [whole, attribute = '', value] = found;
    attributes[attribute] = value === undefined ? true : WHOLE_NUMBER.test(value) ? Number(value) : value;
    at += whole.length;
  }
  return {
    role,
    ...(name === undefined ? {} : { name }),
    attributes,
    properties: {},
    rest: key.slice(at),
  };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Behind the closing quote of a JSON string. */
function endOfName(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

function parseName(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function parseValue(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value
    .slice(1, -1)
    .replace(ESCAPED, (_, code: string | undefined, letter: string) =>
      code === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
