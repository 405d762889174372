import type { IncomingMessage } from 'node:http';

/** The body of a request; `undefined` for one without. */
export type Body = { json: unknown } | 'too large' | 'no json' | undefined;

/** Reads a body of JSON, and no more of it than `maxBytes`. Rejects when the client leaves in the middle. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  // What comes after the limit is thrown away by Node behind the answer, for as long as a request may take.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return 'too large';
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return 'no json';
  }
}
