import { type IncomingMessage, request } from 'node:http';
import * as z from 'zod';
import type { Clock } from '../clock.js';
import { ERROR_CODES, PwpoolError, reasonOf } from '../errors.js';
import { cancelled } from '../waiting/abort.js';
import { withDeadline } from '../waiting/deadline.js';
import { runningServers, type ServerEntry } from './runtime-registry.js';

export interface AskServersOptions {
  /** Milliseconds that each server has to answer. */
  timeoutMs: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

export type ServerAnswer =
  | { entry: ServerEntry; ok: true; body: unknown }
  | { entry: ServerEntry; ok: false; error: PwpoolError };

/** A status is some kilobytes: what goes beyond this is no answer of pwpool. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The wire form of a PwpoolError. A server of a later version may have codes that this one does not know. */
const wireErrorSchema = z.object({
  code: z.enum(ERROR_CODES).catch('EXECUTION_ERROR'),
  message: z.string(),
  hint: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Asks every running server of this user at the same time, and gives one answer for each, earliest started first.
 * A server that hangs (`CALL_TIMEOUT`), cannot be reached or answers rubbish (`EXECUTION_ERROR`) spoils its own
 * answer only.
 *
 * @param path the operation, such as `/status`
 * @throws PwpoolError `CONFIG_INVALID` if the runtime directory is not to be trusted, `CANCELLED` by the signal
 */
export async function askServers(path: string, options: AskServersOptions): Promise<ServerAnswer[]> {
  const entries = await runningServers(options.env);
  if (options.signal?.aborted) throw cancelled(options.signal, `GET ${path}`);
  return await Promise.all(entries.map((entry) => askServer(entry, path, options)));
}

async function askServer(
  entry: ServerEntry,
  path: string,
  options: AskServersOptions,
): Promise<ServerAnswer> {
  const { clock, timeoutMs, signal } = options;
  const onTimeout = () => silent(entry, timeoutMs);
  try {
    const body = await withDeadline(
      { clock, timeoutMs, signals: [signal], onTimeout },
      `GET ${path}`,
      (stop) => get(entry, path, stop),
    );
    return { entry, ok: true, body };
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal, `GET ${path}`);
    return { entry, ok: false, error: error instanceof PwpoolError ? error : unreachable(entry, error) };
  }
}

async function get(entry: ServerEntry, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // No agent: the connection ends with this one request.
    const outgoing = request({ socketPath: entry.socketPath, path, agent: false, signal }, resolve);
    // Stays for good: an abort after the response has begun is reported here as well.
    outgoing.on('error', reject);
    outgoing.end();
  });
  const body = parseJson(entry, await readText(entry, response));
  if (response.statusCode === 200) return body;
  return throwReported(entry, body, response.statusCode);
}

/** Throws the error that a server has reported. */
export function throwReported(entry: ServerEntry, body: unknown, status: number | undefined): never {
  const failure = wireErrorSchema.safeParse(body);
  if (!failure.success) throw otherVersion(entry, `with HTTP status ${status}`);
  const { code, message, hint, details } = failure.data;
  throw new PwpoolError(code, message, { hint, details });
}

async function readText(entry: ServerEntry, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop destroys the response, and with it the connection.
    if (bytes > MAX_ANSWER_BYTES) throw otherVersion(entry, `with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseJson(entry: ServerEntry, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw otherVersion(entry, 'with text that is not JSON');
  }
}

/** @param how it answered, in words that follow "answered" */
export function otherVersion(entry: ServerEntry, how: string): PwpoolError {
  return new PwpoolError('EXECUTION_ERROR', `The pwpool server ${entry.pid} answered ${how}.`, {
    hint: `It runs pwpool ${entry.version}: use the same version here.`,
  });
}

export function silent(entry: ServerEntry, timeoutMs: number): PwpoolError {
  return new PwpoolError(
    'CALL_TIMEOUT',
    `The pwpool server ${entry.pid} did not answer within ${timeoutMs} ms.`,
    { hint: 'It may be busy or stopped: ask again, or end that process if it stays silent.' },
  );
}

export function unreachable(entry: ServerEntry, cause: unknown): PwpoolError {
  return new PwpoolError(
    'EXECUTION_ERROR',
    `The pwpool server ${entry.pid} cannot be asked: ${reasonOf(cause)}.`,
    { hint: 'It may be ending: ask again.', cause },
  );
}
