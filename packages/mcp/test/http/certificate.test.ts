import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { readKeyPair } from '../../src/http/certificate.js';
import { RENEWED, UNTRUSTED } from '../fixtures/certificate.js';
import { startFakeHttpServer } from './fixtures/fake-http-server.js';

async function open(origin: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const fingerprintOf = ({ cert }: { cert: string }) => new X509Certificate(cert).fingerprint256;

it('a certificate that is renewed on disk is used for new connections, half of one is not, and open connections stay', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-tls-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [httpTlsCert, httpTlsKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  await writeFile(httpTlsCert, UNTRUSTED.cert);
  await writeFile(httpTlsKey, UNTRUSTED.key);
  const { origin, clock, lines } = await startFakeHttpServer({ httpTlsCert, httpTlsKey });
  const first = await open(origin);
  const shown = async () => {
    await clock.advance(5_000);
    return (await open(origin)).getPeerCertificate().fingerprint256;
  };
  expect(await shown()).toBe(fingerprintOf(UNTRUSTED));
  await writeFile(httpTlsCert, RENEWED.cert);
  await expect
    .poll(async () => {
      expect(await shown()).toBe(fingerprintOf(UNTRUSTED));
      return lines.join('\n');
    })
    .toContain('The one before goes on.');
  await writeFile(httpTlsKey, RENEWED.key);
  await expect.poll(shown).toBe(fingerprintOf(RENEWED));
  expect(lines.at(-1)).toBe('The certificate was read again.');
  first.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n\r\n`);
  expect(String(await once(first, 'data'))).toMatch(/^HTTP\/1.1 200/);
});

it.each([
  ['certificate', { cert: '', key: UNTRUSTED.key }],
  ['key', { cert: UNTRUSTED.cert, key: '' }],
])('a file without a %s, as it is for a moment while it is written, is not used', async (_, pair) => {
  const directory = await mkdtemp(join(tmpdir(), 'pwpool-tls-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  await writeFile(files.cert, pair.cert);
  await writeFile(files.key, pair.key);
  await expect(readKeyPair(files)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
