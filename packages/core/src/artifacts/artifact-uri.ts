import { PwpoolError } from '../errors.js';

/** How a client names an artifact, or a part of it. */
export interface ArtifactReference {
  /** SHA-256, in hexadecimal. */
  readonly id: string;
  /** Bytes from the start; 0 if left out. */
  readonly offset: number;
  /** Bytes; up to the end if left out. */
  readonly length: number | undefined;
}

/** RFC 6570, as `resources/templates/list` shows it. */
export const ARTIFACT_TEMPLATE = 'blob://{id}{?offset,length}';

const SCHEME = 'blob://';
const REFERENCE = /^blob:\/\/([0-9a-f]{64})\/?(?:\?(.*))?$/;

export function artifactUri(id: string): string {
  return `${SCHEME}${id}`;
}

/**
 * Reads `blob://<id>?offset=0&length=1000`. `undefined` for an address of another kind.
 * @throws PwpoolError `INVALID_ARGUMENTS` for a `blob:` address of another form, such as one with a path
 */
export function parseArtifactUri(uri: string): ArtifactReference | undefined {
  if (!uri.startsWith('blob:')) return undefined;
  const [, id, query = ''] = REFERENCE.exec(uri) ?? [];
  if (id === undefined) throw malformed('The address of an artifact is blob:// and 64 hexadecimal digits.');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (name !== 'offset' && name !== 'length') throw malformed(`An artifact takes no '${name}'.`);
  }
  return { id, offset: bytesIn(parameters, 'offset') ?? 0, length: bytesIn(parameters, 'length') };
}

function bytesIn(parameters: URLSearchParams, name: string): number | undefined {
  const value = parameters.get(name);
  if (value === null) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw malformed(`'${name}' must be a whole number of bytes.`);
}

function malformed(message: string): PwpoolError {
  return new PwpoolError('INVALID_ARGUMENTS', message, {
    hint: `Take the address from an answer or from resources/list; a part of it is ${ARTIFACT_TEMPLATE}.`,
  });
}
