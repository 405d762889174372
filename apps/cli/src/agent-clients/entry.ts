import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import type { AgentClient, ServerCommand } from './clients.js';

/** What pwpool is called among a client's servers. */
const NAME = 'pwpool';

/** What becomes of a client's file. */
export type Merge =
  | { outcome: 'added'; text: string }
  /** It has just this entry. */
  | { outcome: 'there' }
  /** It has another server of that name, or cannot be read: it stays as it is. */
  | { outcome: 'kept'; reason: string };

/** The entry alone, as a file that has nothing else. */
export function entryAlone(client: AgentClient, server: ServerCommand): string {
  if (client.format === 'toml') return tomlEntry(client, server);
  return `${JSON.stringify({ [client.section]: { [NAME]: jsonEntry(client, server) } }, null, 2)}\n`;
}

/** A client's file with the entry added: all else in it, comments too, stays as it is. */
export function addEntry(client: AgentClient, server: ServerCommand, text: string): Merge {
  if (text.trim() === '') return { outcome: 'added', text: entryAlone(client, server) };
  return client.format === 'toml' ? addToToml(client, server, text) : addToJson(client, server, text);
}

function addToJson(client: AgentClient, server: ServerCommand, text: string): Merge {
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true });
  const servers = errors.length === 0 && isObject(content) ? (content[client.section] ?? {}) : undefined;
  if (!isObject(servers)) return { outcome: 'kept', reason: 'it is not read as JSON with servers by name' };
  const entry = jsonEntry(client, server);
  const present = servers[NAME];
  if (isDeepStrictEqual(present, entry)) return { outcome: 'there' };
  if (present !== undefined) return { outcome: 'kept', reason: `it has another server called ${NAME}` };
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2 };
  const edits = modify(text, [client.section, NAME], entry, { formattingOptions });
  return { outcome: 'added', text: applyEdits(text, edits) };
}

/** A table may stand anywhere in a TOML file, so it is put at the end; nothing else is touched. */
function addToToml(client: AgentClient, server: ServerCommand, text: string): Merge {
  const entry = tomlEntry(client, server);
  if (text.includes(entry.trimEnd())) return { outcome: 'there' };
  const { section } = client;
  if (new RegExp(`^\\s*\\[\\s*${section}\\s*\\.\\s*["']?${NAME}["']?\\s*[\\].]`, 'm').test(text)) {
    return { outcome: 'kept', reason: `it has another server called ${NAME}` };
  }
  if (new RegExp(`^\\s*${section}\\s*[.=]`, 'm').test(text)) {
    return { outcome: 'kept', reason: `it writes ${section} in a form that nothing can be put behind` };
  }
  return { outcome: 'added', text: `${text.trimEnd()}\n\n${entry}` };
}

function jsonEntry({ extra }: AgentClient, { command, args }: ServerCommand) {
  return { ...extra, command, args };
}

function tomlEntry({ section }: AgentClient, { command, args }: ServerCommand): string {
  // What JSON writes of a text, TOML reads.
  const list = args.map((argument) => JSON.stringify(argument)).join(', ');
  return `[${section}.${NAME}]\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
