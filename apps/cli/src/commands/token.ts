import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type PwpoolConfig, PwpoolError } from '@pwpool/core';
import {
  formatTokenFile,
  hashToken,
  newToken,
  parseTokenFile,
  readTokenFile,
  replaceFile,
  systemClock,
  type TokenEntry,
} from '@pwpool/core/internal';
import { type ConfigOptions, readConfiguration } from '../configuration.js';
import { EXIT } from '../exit-status.js';
import { whileLocked } from '../file-lock.js';
import { complain, print, printJson, tell } from '../output.js';
import { formatTable, printable, terminalWidth } from '../table.js';

/** Where the tokens are: `HTTP_TOKENS_FILE` of the configuration in force, unless the command names a file. */
interface FileOptions extends ConfigOptions {
  file?: string;
}

interface AddOptions extends FileOptions {
  pool?: string[];
  sessions?: number;
  waitingCalls?: number;
  callsPerMinute?: number;
  admin?: true;
}

interface ListOptions extends FileOptions {
  json?: true;
}

/** The file of tokens, and what it may name. */
interface TokenFile {
  path: string;
  pools: readonly string[];
}

/** Makes a token and prints it, the only time that it is shown; the file keeps its hash. */
export async function addToken(name: string, options: AddOptions): Promise<number> {
  const file = tokenFile(options);
  if (!file) return EXIT.config;
  const token = newToken();
  await whileLocked(file.path, async () => {
    const tokens = await readOrBegin(file);
    if (tokens.some((each) => each.name === name)) throw alreadyThere(name, file);
    await write(file, [...tokens, entryOf(name, token, options)]);
  });
  print(token);
  complain(
    `This is the token of '${name}', shown only now: clients send it as "Authorization: Bearer …". ${file.path} keeps its hash.`,
  );
  return EXIT.ok;
}

/** Lists whose tokens there are, and what each may use. */
export async function listTokens(options: ListOptions): Promise<number> {
  const file = tokenFile(options);
  if (!file) return EXIT.config;
  const tokens = await readTokenFile(file.path, file.pools);
  if (options.json) printJson({ file: file.path, tokens: tokens.map(({ sha256: _, ...told }) => told) });
  else tell(describe(tokens, file));
  return EXIT.ok;
}

/** Takes a token out of the file: a running server refuses it within a second. */
export async function revokeToken(name: string, options: FileOptions): Promise<number> {
  const file = tokenFile(options);
  if (!file) return EXIT.config;
  await whileLocked(file.path, async () => {
    const tokens = await readTokenFile(file.path, file.pools);
    const others = tokens.filter((each) => each.name !== name);
    if (others.length === tokens.length) throw notThere(name, tokens, file);
    await write(file, others);
  });
  tell(`The token of '${name}' is revoked. A running server refuses it from the next second on.`);
  return EXIT.ok;
}

/** `undefined` once stderr has what is wrong with the configuration. */
function tokenFile({ file, ...options }: FileOptions): TokenFile | undefined {
  const config = readConfiguration(options);
  if (!config) return undefined;
  return { path: resolve(file ?? configuredFile(config)), pools: config.pools.map(({ name }) => name) };
}

function configuredFile({ server }: PwpoolConfig): string {
  if (server.httpTokensFile !== undefined) return server.httpTokensFile;
  throw new PwpoolError('INVALID_ARGUMENTS', 'No file of tokens is configured.', {
    hint: 'Set PW_MCP_PROXY_HTTP_TOKENS_FILE, or name the file with --file.',
  });
}

async function readOrBegin(file: TokenFile): Promise<TokenEntry[]> {
  const isThere = await access(file.path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  return isThere ? await readTokenFile(file.path, file.pools) : [];
}

/** Replaces the file whole, so that a server reads the old one or the new one. What it would refuse is not written. */
async function write({ path, pools }: TokenFile, tokens: readonly TokenEntry[]): Promise<void> {
  const text = formatTokenFile(tokens);
  parseTokenFile(text, path, pools);
  await replaceFile(path, text);
}

function entryOf(name: string, token: string, options: AddOptions): TokenEntry {
  const { pool: pools, admin, sessions, waitingCalls, callsPerMinute } = options;
  const limits = {
    ...(sessions === undefined ? {} : { sessions }),
    ...(waitingCalls === undefined ? {} : { waiting_calls: waitingCalls }),
    ...(callsPerMinute === undefined ? {} : { calls_per_minute: callsPerMinute }),
  };
  return {
    name,
    sha256: hashToken(token).toString('hex'),
    ...(pools === undefined ? {} : { pools }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(admin === undefined ? {} : { admin }),
    created: new Date(systemClock.now()).toISOString(),
  };
}

function describe(tokens: readonly TokenEntry[], { path }: TokenFile): string {
  if (tokens.length === 0) return `${printable(path)} has no tokens: nobody is let in.`;
  const rows = tokens.map(({ name, pools, limits = {}, admin, created }) => [
    name,
    pools?.join(', ') ?? 'all',
    ...[limits.sessions, limits.waiting_calls, limits.calls_per_minute].map((limit) => String(limit ?? '-')),
    admin ? 'yes' : '-',
    created ?? '-',
  ]);
  const heads = ['Name', 'Pools', 'Sessions', 'Waiting', 'Calls/min', 'Admin', 'Created'];
  return formatTable([heads, ...rows], '', terminalWidth());
}

function alreadyThere(name: string, { path }: TokenFile): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', `'${name}' has a token already, in ${path}.`, {
    hint: `Choose another name, or run first: pwpool token revoke ${name}`,
  });
}

function notThere(name: string, tokens: readonly TokenEntry[], { path }: TokenFile): PwpoolError {
  const names = tokens.map((each) => each.name).join(', ');
  return new PwpoolError('INVALID_ARGUMENTS', `'${name}' has no token in ${path}.`, {
    hint: names === '' ? 'There are none.' : `There are those of: ${names}.`,
  });
}
