import { expect, it } from 'vitest';
import { artifactUri, parseArtifactUri } from '../../src/artifacts/artifact-uri.js';
import { errorIn } from '../pool/pool-fixture.js';

const ID = 'ab'.repeat(32);

it('reads the address of an artifact, or of a part of it', () => {
  expect(parseArtifactUri(artifactUri(ID))).toEqual({ id: ID, offset: 0, length: undefined });
  expect(parseArtifactUri(`blob://${ID}?offset=10&length=20`)).toEqual({ id: ID, offset: 10, length: 20 });
  expect(parseArtifactUri(`blob://${ID}/?length=0`)).toEqual({ id: ID, offset: 0, length: 0 });
  expect(parseArtifactUri('https://example.com/')).toBeUndefined();
});

it.each([
  'blob://../../etc/passwd',
  `blob://${ID}/../x`,
  `blob://${ID}.png`,
  `blob:///etc/passwd`,
  `blob://${ID.toUpperCase()}`,
  `blob:${ID}`,
  'blob://',
  `blob://${ID}?offset=-1`,
  `blob://${ID}?offset=1e3`,
  `blob://${ID}?length=9999999999999999`,
  `blob://${ID}?path=/etc/passwd`,
])('refuses %s', (uri) => {
  expect(errorIn(() => parseArtifactUri(uri))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
});
