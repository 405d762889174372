import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../../src/connection/answer-text.js';
import type { ToolArguments } from '../../../src/connection/tool-connection.js';
import { PwpoolError } from '../../../src/errors.js';
import { BrowserPools } from '../../../src/pool/browser-pools.js';
import type { Lease } from '../../../src/pool/lease.js';
import { failureOf, failureResult } from '../../../src/upstream/failure.js';
import { referenceIn } from '../references/stamped-fixture.js';
import { FAILING, type Failing } from './corpus.js';
import { type FailingSite, startFailingSite } from './failing-site.js';

/** Nothing of upstream's insides, and no directory of this machine but what the caller named. */
const INSIDES =
  /\[22?m|Call log|callTool|locator\.\w+:|page\.\w+: |\n\s+at |^(?:Timeout)?Error: |Ran Playwright|\/tmp\/|\/work\//m;

describe('a failure of upstream’s tools on a page', () => {
  let directory: string;
  let site: FailingSite;
  let pools: BrowserPools;
  let lease: Lease;

  beforeAll(async () => {
    site = await startFailingSite();
    directory = await mkdtemp(join(tmpdir(), 'pwpool-failures-'));
    pools = await BrowserPools.create({
      outputDir: directory,
      caps: ['testing'],
      pools: {
        DEFAULT: {
          instances: 1,
          isDefault: true,
          isolated: true,
          timeoutSettle: 0,
          secrets: { PASSWORD: 'hunter2 "quoted"' },
          redactUrlParams: ['token'],
          timeoutNavigation: 10_000,
        },
      },
    });
    lease = await pools.lease();
  });
  afterAll(async () => {
    await pools.close();
    await site[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const call = async (tool: string, args: ToolArguments) => {
    try {
      return await lease.callTool(tool, args);
    } catch (error) {
      if (error instanceof PwpoolError) return failureResult(error, lease.pageUrl());
      throw error;
    }
  };

  const fail = async ({ tool, args, meanwhile, after }: Failing) => {
    await call('browser_navigate', { url: `http://${site.host}/` });
    let given = JSON.stringify(args).replaceAll('HOST', site.host).replaceAll('CLOSED', site.closed);
    if (given.includes('REF ')) {
      const snapshot = textOf(await call('browser_snapshot', {}));
      given = given.replace(/REF (button \\"[^"]*\\")/, (_, line: string) =>
        referenceIn(snapshot, line.replaceAll('\\', '')),
      );
    }
    if (meanwhile !== undefined) await (await lease.page()).evaluate(meanwhile);
    if (after) await call(...after);
    const failed = await call(tool, JSON.parse(given));
    return failed;
  };

  it.each(FAILING)(
    '$tool $args [002-error-01, arch-failure-01, arch-failure-02, arch-failure-03, arch-reference-02]',
    { tags: ['at-length'] },
    async (failing) => {
      const failed = await fail(failing);
      const read = textOf(failed)
        .replace('### Error\n', '')
        .replaceAll(site.host, 'HOST')
        .replaceAll(site.closed, 'CLOSED')
        .replace(/\b[a-z]{4}(?:f\d+)?(?=e\d+\b)/g, 'kqbz');
      expect(read).toBe(failing.reads);
      expect(read).not.toMatch(INSIDES);
      const { code, message, hint } = failureOf(failed) ?? {};
      expect(textOf(failed).startsWith(`### Error\n${code}: ${message}\n${hint}`)).toBe(true);
      expect(failed).toMatchObject({ isError: true, structuredContent: { success: false } });
    },
  );

  it('names no secret that the page shows [arch-failure-03]', async () => {
    const failed = await fail({
      tool: 'browser_click',
      args: { target: '#password-draft' },
      after: [
        'browser_evaluate',
        {
          function: `() => { save.textContent = 'hunter2 "quoted" draft'; text.textContent = '?token=abc password draft'; history.replaceState(null, '', '?token=abc'); }`,
        },
      ],
      reads: '',
    });
    expect(textOf(failed)).toContain('button "<secret>PASSWORD</secret> draft"');
    expect(textOf(failed)).toContain('paragraph "?token=<redacted> password draft"');
    expect(failed.structuredContent).toMatchObject({
      error: { pageUrl: expect.stringMatching(/\?token=<redacted>$/) },
    });
    expect(JSON.stringify(failed)).not.toMatch(/hunter2|token=abc/);
  });
});
