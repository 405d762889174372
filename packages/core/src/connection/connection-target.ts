import type { Transport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { PwpoolError } from '../errors.js';

/** A tool server to start as a child process. */
export interface StdioTarget {
  command: string;
  args?: readonly string[] | undefined;
  /** Added to a small safe set (PATH, HOME and the like): the child does not inherit the whole environment. */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
}

/** A Streamable HTTP server, or one that only knows SSE: the session finds out. */
export interface HttpTarget {
  url: string | URL;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A server of the older HTTP with SSE transport. */
export interface SseTarget {
  sse: string | URL;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Makes a fresh transport for each connection. */
export interface TransportTarget {
  transport: () => Transport | Promise<Transport>;
}

/**
 * Where a tool server is. A bare string or URL is an `HttpTarget`. A transport object serves one connection: a session
 * made with it cannot reconnect.
 */
export type ConnectionTarget =
  | string
  | URL
  | StdioTarget
  | HttpTarget
  | SseTarget
  | TransportTarget
  | Transport;

/** A target that was checked. `label` is for messages and holds no arguments, query or headers: they may be secret. */
export type CheckedTarget = { label: string } & (
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string | undefined }
  | { kind: 'http' | 'sse'; url: URL; headers: Record<string, string> }
  | { kind: 'transport'; transport: () => Transport | Promise<Transport>; singleUse: boolean }
);

const webAddress = z.union([z.string(), z.instanceof(URL)]).transform((value, context): URL => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (!URL.canParse(value)) return refuse('this is not a URL');
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('use http:// or https://');
  if (url.username !== '' || url.password !== '') return refuse('put user and password into "headers"');
  return url;
});

const headers = z
  .record(z.string(), z.string())
  .superRefine((fields, context) => {
    for (const [name, value] of Object.entries(fields)) {
      try {
        new Headers({ [name]: value });
      } catch {
        context.addIssue({ code: 'custom', path: [name], message: 'HTTP does not allow this name or value' });
      }
    }
  })
  .default({});

const SCHEMAS = {
  command: z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().min(1).optional(),
  }),
  url: z.strictObject({ url: webAddress, headers }),
  sse: z.strictObject({ sse: webAddress, headers }),
  transport: z.strictObject({
    transport: z.custom<TransportTarget['transport']>(
      (value) => typeof value === 'function',
      'expected a function that makes a transport',
    ),
  }),
};

const FORMS = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];

function refuse(problems: readonly string[]): never {
  throw new PwpoolError('INVALID_ARGUMENTS', `The connection parameters are wrong: ${problems.join('; ')}.`, {
    hint: 'Give a URL, { command, args?, env?, cwd? }, { url, headers? }, { sse, headers? }, { transport } or a transport.',
    details: { problems },
  });
}

function parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  return refuse(parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': ')));
}

function isTransport(value: object): value is Transport {
  return ['start', 'send', 'close'].every((name) => typeof Reflect.get(value, name) === 'function');
}

function checkedUrl(kind: 'http' | 'sse', url: URL, fields: Record<string, string>): CheckedTarget {
  return { kind, url, headers: fields, label: url.origin + url.pathname };
}

/**
 * Checks connection parameters, without any input or output.
 * @throws PwpoolError `INVALID_ARGUMENTS`, naming each field that is wrong
 */
export function checkTarget(target: ConnectionTarget): CheckedTarget {
  const value: unknown = target;
  if (typeof value === 'string' || value instanceof URL) return checkTarget({ url: value });
  if (typeof value !== 'object' || value === null) {
    return refuse([`expected a URL or an object, not ${value === null ? 'null' : typeof value}`]);
  }
  if (isTransport(value)) {
    return { kind: 'transport', transport: () => value, singleUse: true, label: 'the given transport' };
  }
  const [form, ...others] = FORMS.filter((name) => name in value);
  if (form === undefined || others.length > 0) {
    return refuse([`exactly one of ${FORMS.map((name) => `"${name}"`).join(', ')} is needed`]);
  }
  switch (form) {
    case 'command': {
      const { command, args, env, cwd } = parse(SCHEMAS.command, value);
      return { kind: 'stdio', command, args, env, cwd, label: `the process "${command}"` };
    }
    case 'url': {
      const { url, headers } = parse(SCHEMAS.url, value);
      return checkedUrl('http', url, headers);
    }
    case 'sse': {
      const { sse, headers } = parse(SCHEMAS.sse, value);
      return checkedUrl('sse', sse, headers);
    }
    case 'transport': {
      const { transport } = parse(SCHEMAS.transport, value);
      return { kind: 'transport', transport, singleUse: false, label: 'the given transport' };
    }
  }
}
