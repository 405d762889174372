/** The id of a JSON-RPC request. */
export type RequestId = string | number;

/** As much of a JSON-RPC message as the end of a window has to understand. */
export interface Message {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The message in a line; `undefined` for what is none, or several at once. */
export function readMessage(line: Buffer): Message | undefined {
  const message = readObject(line);
  if (message === undefined) return undefined;
  const { id, method, params } = message;
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    ...(isObject(params) ? { params } : {}),
  };
}

/** The JSON object in a line, if there is one. */
export function readObject(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function lineOf(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
