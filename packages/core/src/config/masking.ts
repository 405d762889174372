import { parseEndpoint, parseHeaders } from './endpoint.js';
import { definitionOf, KEY_NAMES, KEYS } from './keys.js';
import type { PwpoolConfig } from './model.js';
import { parseProxy } from './proxy.js';
import { isObject } from './values.js';

/** What stands in place of a secret. */
const MASK = '***';

/** Characters from which on a text is masked wherever it stands: a shorter one is in words, too. */
const SHORTEST = 4;

/**
 * Takes out of texts for logs what the configuration holds in secret, and what addresses and headers may: passwords before a
 * host, the parameters of `REDACT_URL_PARAMS`, bearer tokens [arch-security-07].
 */
export function maskingOf(config: PwpoolConfig): (text: string) => string {
  const secrets = [...new Set(secretsOf(config))]
    .filter(({ length }) => length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  const settings = config.pools.flatMap(({ instances }) => instances.map((instance) => instance.settings));
  const names = new Set(settings.flatMap(({ redactUrlParams }) => redactUrlParams));
  const parameters = [...names].map((name) => name.replace(/\W/g, '\\$&')).join('|');
  const inUrls = parameters === '' ? undefined : new RegExp(`([?&#](?:${parameters})=)[^&#\\s"'<>]+`, 'gi');
  return (text) => {
    const masked = secrets
      .reduce((rest, secret) => rest.replaceAll(secret, MASK), text)
      .replace(/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#@"'<>]+@/gi, `$1${MASK}@`)
      .replace(/\b(Bearer|Basic) [\w.~+/=-]+/gi, `$1 ${MASK}`);
    return inUrls === undefined ? masked : masked.replace(inUrls, `$1${MASK}`);
  };
}

function secretsOf({ server, pools }: PwpoolConfig): string[] {
  const scopes: readonly object[] = [
    server,
    ...pools.flatMap(({ instances }) => instances.map(({ settings }) => settings)),
  ];
  return scopes.flatMap((settings) => {
    const values = new Map<string, unknown>(Object.entries(settings));
    return KEY_NAMES.flatMap((key) => secretIn(key, values.get(KEYS[key].setting)));
  });
}

function secretIn(key: (typeof KEY_NAMES)[number], value: unknown): readonly string[] {
  const definition = definitionOf(key);
  if (definition.type === 'object' && definition.secret) return isObject(value) ? textsIn(value) : [];
  if (typeof value !== 'string') return [];
  switch (definition.type) {
    case 'secret':
      return [value];
    case 'headers':
      return Object.values(parseHeaders(value) ?? {});
    case 'proxy':
      return [parseProxy(value)?.password ?? ''];
    case 'endpoint': {
      const { password, searchParams } = new URL(parseEndpoint(value)?.url ?? 'about:blank');
      return [password, ...searchParams.values()];
    }
    default:
      return [];
  }
}

function textsIn(value: object): string[] {
  return Object.values(value).filter((text) => typeof text === 'string');
}
