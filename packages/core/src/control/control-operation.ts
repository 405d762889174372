import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { asPwpoolError, PwpoolError } from '../errors.js';

/** Whoever asked for an operation. */
export interface Asker {
  /** Sends something ahead of the result, as JSON: secrets must be masked by now. */
  tell(told: unknown): void;
  /** Aborts when the asker has left. What was begun for more than the asker goes on. */
  readonly left: AbortSignal;
}

/** What a running server can be asked to do, beside what it can be asked to tell. */
export interface ControlOperation {
  /**
   * @returns the result, as JSON
   * @throws PwpoolError `INVALID_ARGUMENTS` for an input that it does not take, else as the operation
   */
  run(input: unknown, asker: Asker): Promise<unknown>;
}

/** By name: `reload` is carried out by `POST /reload`. */
export type ControlOperations = Readonly<Record<string, ControlOperation>>;

/** An operation with an input that is checked before it runs. */
export function defineOperation<Shape extends z.ZodRawShape>(
  input: z.ZodObject<Shape>,
  run: (input: z.infer<z.ZodObject<Shape>>, asker: Asker) => Promise<unknown>,
): ControlOperation {
  return {
    async run(given, asker) {
      const parsed = input.safeParse(given);
      if (parsed.success) return await run(parsed.data, asker);
      throw new PwpoolError('INVALID_ARGUMENTS', `Invalid input: ${z.prettifyError(parsed.error)}`, {
        hint: `It takes: ${Object.keys(input.shape).join(', ') || 'nothing'}.`,
      });
    },
  };
}

const MAX_INPUT_BYTES = 10 * 1024 * 1024;

/** Bytes that wait for an asker who reads too slowly, before the connection is cut. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Carries an operation out for an HTTP request. The answer is JSON in lines: `{ "told": … }` as often as there is something
 * to tell, then `{ "result": … }` or `{ "error": … }`.
 */
export async function serveOperation(
  operation: ControlOperation,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new PwpoolError('CANCELLED', 'Whoever asked has left.')));
  const send = (line: Readonly<Record<string, unknown>>) => {
    if (response.destroyed) return;
    response.write(`${JSON.stringify(line)}\n`);
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  // At once: whoever asked knows that the operation has begun.
  response.flushHeaders();
  try {
    const asker = { tell: (told: unknown) => send({ told }), left: left.signal };
    send({ result: (await operation.run(await readInput(request), asker)) ?? null });
  } catch (error) {
    send({ error: asPwpoolError(error) });
  }
  response.end();
}

async function readInput(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) {
      throw new PwpoolError('INVALID_ARGUMENTS', `The input has more than ${MAX_INPUT_BYTES} bytes.`, {
        hint: 'Send less: name a file in place of its content.',
      });
    }
    chunks.push(chunk);
  }
  try {
    return bytes === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new PwpoolError('INVALID_ARGUMENTS', 'The input is not JSON.', {
      hint: 'Send a JSON object, or nothing.',
    });
  }
}
