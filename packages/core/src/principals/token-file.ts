import { open } from 'node:fs/promises';
import * as z from 'zod';
import { nearest } from '../config/suggest.js';
import { configInvalid, type Violation, violationsOfWork } from '../config/violations.js';
import { PwpoolError, reasonOf } from '../errors.js';

/** Names are parts of file names, where some systems take `Ada` and `ada` for the same. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const limitsSchema = z.strictObject({
  sessions: z.int().min(1).optional(),
  waiting_calls: z.int().min(0).optional(),
  calls_per_minute: z.int().min(1).optional(),
});

const tokenSchema = z.strictObject({
  name: z.string().regex(NAME),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  pools: z.array(z.string()).min(1).optional(),
  limits: limitsSchema.optional(),
  admin: z.boolean().optional(),
  created: z.string().optional(),
});

const fileSchema = z.strictObject({ tokens: z.array(z.unknown()) });

/** What each field takes, in words that follow "must be". */
const TAKES: Readonly<Record<string, string>> = {
  tokens: 'a list of objects with name and sha256, and perhaps pools, limits and admin',
  name: '1 to 64 lower-case letters, digits, hyphens and underscores, the first one a letter or a digit',
  sha256: 'the SHA-256 of the token, as 64 lower-case hexadecimal digits',
  pools: 'a list of pools; leave it out to allow all',
  limits: 'an object with some of: sessions, waiting_calls, calls_per_minute',
  sessions: 'a whole number, 1 or more',
  waiting_calls: 'a whole number, 0 or more',
  calls_per_minute: 'a whole number, 1 or more',
  admin: 'true or false',
  created: 'a text',
};

/** What the file says of one token, and of the principal that bears it. */
export type TokenEntry = z.infer<typeof tokenSchema>;

/**
 * The tokens of a file (`HTTP_TOKENS_FILE`): JSON, `{ "tokens": [{ "name": …, "sha256": … }] }`.
 * @param pools the names of the pools that there are
 * @throws PwpoolError `CONFIG_INVALID` with every fault
 */
export async function readTokenFile(path: string, pools: readonly string[]): Promise<TokenEntry[]> {
  return parseTokenFile(await readText(path), path, pools);
}

/** Every fault of a file of tokens. */
export async function inspectTokenFile(
  path: string,
  pools: readonly string[],
): Promise<readonly Violation[]> {
  return await violationsOfWork(() => readTokenFile(path, pools));
}

/**
 * @param file its name, for messages
 * @throws PwpoolError as `readTokenFile`
 */
export function parseTokenFile(text: string, file: string, pools: readonly string[]): TokenEntry[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw configInvalid([fault(`This is not JSON: ${reasonOf(error)}`, file, AS_MADE)]);
  }
  const found = fileSchema.safeParse(content);
  if (!found.success) throw configInvalid(fieldViolations(file, [], found.error));
  const parsed = found.data.tokens.map((token) => tokenSchema.safeParse(token));
  const violations = parsed.flatMap(({ error }, index) =>
    error ? fieldViolations(file, ['tokens', index], error) : [],
  );
  /** In their places; a gap where one is at fault. */
  const tokens = parsed.map(({ data }) => data);
  violations.push(...repeated(file, tokens), ...unknownPools(file, tokens, pools));
  if (violations.length > 0) throw configInvalid(violations);
  return tokens.filter((token) => token !== undefined);
}

/** The text of a file with these tokens. */
export function formatTokenFile(tokens: readonly TokenEntry[]): string {
  return `${JSON.stringify({ tokens }, undefined, 2)}\n`;
}

const AS_MADE = 'Write the file as pwpool token add does.';

async function readText(path: string): Promise<string> {
  try {
    await using handle = await open(path, 'r');
    const { mode } = await handle.stat();
    // Whoever can write to it lets in whom they like. On Windows the mode says nothing.
    if (process.platform !== 'win32' && (mode & 0o022) !== 0) {
      const message = `Users other than its owner can write to the file of tokens ${path}`;
      throw configInvalid([fault(message, path, `Run: chmod 600 ${path}`)]);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof PwpoolError) throw error;
    throw configInvalid([
      {
        code: 'FILE_UNREADABLE',
        message: `The file of tokens ${path} cannot be read: ${reasonOf(error)}`,
        variable: path,
        fix: 'Name a readable file: pwpool token add makes one.',
      },
    ]);
  }
}

/** A field that there is not, or one of the wrong form. What it holds is not quoted: it may be a token. */
function fieldViolations(file: string, base: readonly PropertyKey[], { issues }: z.ZodError): Violation[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        code: 'UNKNOWN_KEY',
        message: `Unknown field '${key}'`,
        variable: placeOf(file, [...path, key]),
        fix: `Did you mean ${nearest(key, Object.keys(TAKES))?.name}? If not, remove it.`,
      }));
    }
    const field = path.findLast((key) => typeof key === 'string') ?? 'tokens';
    return [fault(`Wrong value for ${field}`, placeOf(file, path), `It must be ${TAKES[field]}.`)];
  });
}

/** Names and tokens that are in the file twice. */
function repeated(file: string, tokens: readonly (TokenEntry | undefined)[]): Violation[] {
  return (['name', 'sha256'] as const).flatMap((field) =>
    tokens.flatMap((token, index) => {
      const first = tokens.findIndex((other) => other?.[field] === token?.[field]);
      if (token === undefined || first === index) return [];
      const what = field === 'name' ? `The name '${token.name}'` : `The token of '${token.name}'`;
      return [
        fault(
          `${what} is in the file twice`,
          placeOf(file, ['tokens', index, field]),
          `Remove it here or at ${placeOf(file, ['tokens', first])}.`,
        ),
      ];
    }),
  );
}

function unknownPools(
  file: string,
  tokens: readonly (TokenEntry | undefined)[],
  valid: readonly string[],
): Violation[] {
  return tokens.flatMap((token, index) =>
    (token?.pools ?? []).flatMap((pool, position) =>
      valid.includes(pool)
        ? []
        : [
            fault(
              `There is no pool '${pool}', which '${token?.name}' may use`,
              placeOf(file, ['tokens', index, 'pools', position]),
              `Use some of: ${valid.join(', ')}.`,
            ),
          ],
    ),
  );
}

function fault(message: string, variable: string, fix: string): Violation {
  return { code: 'INVALID_VALUE', message, variable, fix };
}

/** `tokens.json: tokens[0].limits.sessions`. */
function placeOf(file: string, path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return place === '' ? file : `${file}: ${place.slice(1)}`;
}
