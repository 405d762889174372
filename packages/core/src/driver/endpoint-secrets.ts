import { parseEndpoint, parseHeaders } from '../config/endpoint.js';
import type { InstanceSettings } from '../config/model.js';

/** Characters from which on a word of a header counts as secret by itself. */
const SHORTEST_WORD = 4;

/**
 * The first line of what the other side of an `ENDPOINT` said, for a message: without what the address or a header may
 * hold in secret, and without a full stop at its end.
 */
export function withoutSecrets(text: string, settings: InstanceSettings): string {
  const [line = ''] = text.split('\n');
  return secretsOf(settings)
    .reduce((told, secret) => told.replaceAll(secret, '***'), line.replace(ADDRESS, addressOnly))
    .trim()
    .replace(/\.$/, '');
}

const ADDRESS = /\b(?:https?|wss?):\/\/[^\s'")\]]+/g;

function addressOnly(address: string): string {
  if (!URL.canParse(address)) return '***';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** In every form in which they may come back, the longest first: it may have another in it. */
function secretsOf({ endpoint, endpointHeaders }: InstanceSettings): string[] {
  const { username, password, search, searchParams } = new URL(
    parseEndpoint(endpoint ?? '')?.url ?? 'about:blank',
  );
  const parameters = search.split(/[?&]/).map((parameter) => parameter.replace(/^[^=]*=/, ''));
  const login = [username, password].map(decoded).join(':');
  const values = Object.values(parseHeaders(endpointHeaders ?? '{}') ?? {});
  const words = values.flatMap((value) => value.split(/[\s,;=]+/));
  const secrets = [
    ...[username, password, ...values].flatMap((value) => [value, decoded(value)]),
    ...[...parameters, ...searchParams.values()],
    // As HTTP sends it (RFC 7617).
    login === ':' ? '' : Buffer.from(login).toString('base64'),
    ...words.filter(({ length }) => length >= SHORTEST_WORD),
  ];
  return [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
