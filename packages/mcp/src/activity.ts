import type { Clock, ToolArguments, ToolResult } from '@pwpool/core';
import type { ResourceSource } from './resources.js';

/** How many calls are kept; the oldest go first. */
const KEPT = 200;

const URI = 'pwpool://activity';

export interface ActivityEntry {
  /** When it came, in ISO 8601. */
  at: string;
  tool: string;
  /** The session that it named, or that its answer says it reached; `null` for none. */
  sessionId: string | null;
  elapsedMs: number;
  /** The code of its error, of the first if it ran several tools; `null` if all was carried out. */
  error: string | null;
}

/** The latest calls of one client, as a resource: which session each went to, and what came of it [003-activity-01]. */
export class Activity implements ResourceSource {
  readonly templates = [
    {
      uriTemplate: `${URI}/{sessionId}`,
      name: 'session activity',
      title: 'Calls of a session',
      description: `The latest calls that went to one session; ${URI} has those of all`,
      mimeType: 'application/json',
    },
  ];
  readonly #clock: Clock;
  readonly #entries: ActivityEntry[] = [];
  readonly #onEntry: (entry: ActivityEntry) => void;

  constructor(clock: Clock, onEntry: (entry: ActivityEntry) => void = () => {}) {
    this.#clock = clock;
    this.#onEntry = onEntry;
  }

  /** Runs a call, and remembers it. */
  async track(tool: string, args: ToolArguments, run: () => Promise<ToolResult>): Promise<ToolResult> {
    const begun = this.#clock.now();
    const at = new Date(begun).toISOString();
    const result = await run();
    const elapsedMs = this.#clock.now() - begun;
    const entry = { at, tool, sessionId: sessionOf(args, result), elapsedMs, error: errorOf(result) };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    this.#onEntry(entry);
    return result;
  }

  list() {
    const description = 'Your latest calls: the session each went to, its time and its error';
    return [{ uri: URI, name: 'activity', title: 'Your calls', description, mimeType: 'application/json' }];
  }

  async read(uri: string) {
    if (uri !== URI && !uri.startsWith(`${URI}/`)) return undefined;
    const ofAll = uri === URI;
    const sessionId = ofAll ? undefined : decoded(uri.slice(URI.length + 1));
    const calls = this.#entries.filter((entry) => ofAll || entry.sessionId === sessionId);
    if (!ofAll && calls.length === 0) return 'not found';
    return [{ uri, mimeType: 'application/json', text: JSON.stringify({ calls }) }];
  }
}

/** `undefined` for what encodes nothing, such as `%zz`. */
function decoded(component: string): string | undefined {
  try {
    return decodeURIComponent(component);
  } catch {
    return undefined;
  }
}

function sessionOf(args: ToolArguments, { _meta, structuredContent }: ToolResult): string | null {
  const said = [args, _meta, structuredContent].map((facts) => factOf(facts, 'sessionId'));
  return said.find((id) => typeof id === 'string') ?? null;
}

function errorOf({ isError, structuredContent }: ToolResult): string | null {
  const [first] = listOf(factOf(structuredContent, 'errors'));
  const code = factOf(factOf(structuredContent, 'error') ?? factOf(first, 'error'), 'code');
  if (typeof code === 'string') return code;
  return isError ? 'EXECUTION_ERROR' : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function factOf(facts: unknown, name: string): unknown {
  return typeof facts === 'object' && facts !== null
    ? (facts as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
