import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askStatus, systemClock } from '@pwpool/core/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNTRUSTED } from '../fixtures/certificate.js';
import {
  environment,
  packedPool,
  processesIn,
  runToEnd,
  temporaryDirectory,
} from '../fixtures/stdio-server.js';
import { connectNew, connectOld, ERAS, type HttpClient, startSession } from './fixtures/clients.js';
import { type HttpProcess, startHttpProcess } from './fixtures/http-process.js';
import { look, signIn, startLogins } from './fixtures/logins.js';

/** Of sixteen pages at once on a busy machine, one may be late. */
const PATIENT = { TIMEOUT_ACTION: '30000', TIMEOUT_NAVIGATION: '50000' };

let server: HttpProcess;
let site: Awaited<ReturnType<typeof startLogins>>;

beforeAll(async () => {
  site = await startLogins();
  server = await startHttpProcess(packedPool('DEFAULT', 6, { LEASE_TIMEOUT: '30000', ...PATIENT }));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** Signs in as one user and looks again and again who it is. @returns the answers that were another's */
async function useAs(client: HttpClient, user: string, looks: number): Promise<string[]> {
  const sessionId = await signIn(client, site.origin, user);
  const wrong: string[] = [];
  for (let n = 0; n < looks; n++) {
    const answer = await look(client, site.origin, { sessionId, user });
    if (answer !== undefined) wrong.push(answer);
  }
  await client.text('close_session', { sessionId });
  return wrong;
}

async function mixed(address: string, count: number, looks: number): Promise<string[]> {
  const wrong = Array.from({ length: count }, async (_, index) => {
    const [, connect] = ERAS[index % 2] ?? ERAS[0];
    await using client = await connect(address);
    return await useAs(client, `user${index}`, looks);
  });
  return (await Promise.all(wrong)).flat();
}

it('clients of both eras sign in side by side, and each stays who it is [arch-era-02, arch-target-06]', async () => {
  expect(await mixed(server.address, 4, 2)).toEqual([]);
});

it('16 clients of both eras, 1,000 looks: none is ever another', {
  tags: ['at-length'],
  timeout: 600_000,
}, async () => {
  await using large = await startHttpProcess(packedPool('DEFAULT', 16, PATIENT));
  expect(await mixed(large.address, 16, 63)).toEqual([]);
});

it('a client that leaves in the middle of a call disturbs no other, and its session can be used at once', async () => {
  await using staying = await connectOld(server.address);
  const url = `${site.origin}/login?user=staying`;
  await staying.text('browser_navigate', { url });
  await using leaving = await connectNew(server.address);
  const sessionId = await startSession(leaving, 'leaving');
  await leaving.text('browser_navigate', { sessionId, url: site.origin });
  const cut = new AbortController();
  const hanging = leaving.call('browser_wait_for', { sessionId, time: 30 }, { signal: cut.signal });
  expect(await staying.text('browser_snapshot')).toContain('Hello staying');
  cut.abort();
  await expect(hanging).rejects.toThrow();
  // The cancelled call is out of the browser: the session's next one does not wait for it.
  expect(
    await leaving.text('browser_navigate', { sessionId, url: `${site.origin}/login?user=leaving` }),
  ).toContain('Hello leaving');
  expect(await staying.text('browser_snapshot')).toContain('Hello staying');
  await leaving.text('close_session', { sessionId });
});

it('is shown by pwpool status, with its address and whose each session is [arch-run-06]', async () => {
  await using client = await connectOld(server.address);
  await client.text('start_browser', { sessionId: 'seen' });
  const env = environment(server.directory);
  const [report] = await askStatus({ clock: systemClock, timeoutMs: 20_000, env });
  expect(report?.entry.httpAddress).toBe(server.address);
  expect(report?.status?.sessions).toMatchObject([
    { sessionId: 'seen', client: expect.stringMatching(/^local\/[0-9a-f]{12}$/) },
  ]);
});

it('a second server on the same port is refused with what to do, and the first goes on', async () => {
  await using directory = await temporaryDirectory();
  const { port } = new URL(server.address);
  const { status, stderr } = await runToEnd(directory.path, {}, ['--port', port]);
  expect(status).toBe(78);
  expect(stderr).toContain(`cannot listen on port ${port} of 127.0.0.1: another process listens there`);
  await using client = await connectNew(server.address);
  expect(await client.text('browser_pool_status')).toContain('DEFAULT');
});

it('serves over TLS, ends with SIGTERM, and leaves nothing [arch-run-03]', async () => {
  await using files = await temporaryDirectory();
  const [cert, key] = [join(files.path, 'cert.pem'), join(files.path, 'key.pem')];
  await writeFile(cert, UNTRUSTED.cert);
  await writeFile(key, UNTRUSTED.key);
  await using secure = await startHttpProcess({
    PW_MCP_PROXY_HTTP_TLS_CERT: cert,
    PW_MCP_PROXY_HTTP_TLS_KEY: key,
  });
  expect(secure.address).toMatch(/^https:/);
  await expect(fetch(secure.address)).rejects.toMatchObject({
    cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  expect(await secure.end()).toBe(0);
  expect(await processesIn(secure.directory)).toEqual([]);
});
