import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { Clock } from '../clock.js';
import { PwpoolError } from '../errors.js';
import { cancelled } from '../waiting/abort.js';
import { withDeadline } from '../waiting/deadline.js';
import { otherVersion, parseJson, silent, throwReported, unreachable } from './control-client.js';
import type { ServerEntry } from './runtime-registry.js';

/** Milliseconds that a server has to begin with an operation. */
const BEGIN_MS = 5_000;

export interface AskOperationOptions {
  clock: Clock;
  /** Ends the asking; what the server has begun for more than the asker goes on. */
  signal?: AbortSignal | undefined;
  /** Given what the server tells ahead of the result. */
  onTold?: ((told: unknown) => void) | undefined;
}

const lineSchema = z.union([
  z.object({ told: z.unknown() }).strict(),
  z.object({ result: z.unknown() }).strict(),
  z.object({ error: z.unknown() }).strict(),
]);

/**
 * Has a running server carry an operation out, and waits for the result as long as that takes.
 *
 * @param operation its name, such as `reload`
 * @throws PwpoolError what the server reports; `CANCELLED` by the signal; `CALL_TIMEOUT` if it does not begin,
 *   `EXECUTION_ERROR` if it cannot be reached or ends in the middle
 */
export async function askOperation(
  entry: ServerEntry,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  { clock, signal, onTold }: AskOperationOptions,
): Promise<unknown> {
  try {
    const onTimeout = () => silent(entry, BEGIN_MS);
    const response = await withDeadline(
      { clock, timeoutMs: BEGIN_MS, signals: [signal], onTimeout },
      operation,
      (stop) => post(entry, operation, input, signal ? AbortSignal.any([stop, signal]) : stop),
    );
    return await resultOf(entry, response, onTold);
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal, operation);
    throw error instanceof PwpoolError ? error : unreachable(entry, error);
  }
}

async function post(
  { socketPath }: ServerEntry,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { socketPath, path: `/${operation}`, method: 'POST', agent: false, signal };
    const outgoing = request(options, resolve);
    // Stays for good: an abort after the response has begun is reported here as well.
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(input));
  });
}

async function resultOf(
  entry: ServerEntry,
  response: IncomingMessage,
  onTold: AskOperationOptions['onTold'],
): Promise<unknown> {
  const broken = new AbortController();
  response.once('error', (error) => broken.abort(error));
  for await (const text of createInterface({ input: response })) {
    const body = parseJson(entry, text);
    if (response.statusCode !== 200) throwReported(entry, body, response.statusCode);
    const line = lineSchema.safeParse(body);
    if (!line.success) throw otherVersion(entry, 'in a form that is not known here');
    if ('told' in line.data) onTold?.(line.data.told);
    else if ('result' in line.data) return line.data.result;
    else throwReported(entry, line.data.error, 200);
  }
  throw unreachable(entry, broken.signal.reason ?? new Error('it ended before it had answered'));
}
