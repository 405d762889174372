// @module-tag at-length
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BrowserPools } from '../../src/pool/browser-pools.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { ownDirectories, textOf } from './embedded-fixture.js';

it('a playwright-mcp process offers the tools of CAPS and works in the root of its session', async () => {
  const { output } = await ownDirectories();
  const root = join(output, 'project');
  const pool = {
    instances: 1,
    isDefault: true,
    isolated: true,
    driver: 'process',
    timeoutSettle: 0,
  } as const;
  await using pools = await BrowserPools.create({
    outputDir: join(output, 'out'),
    caps: ['pdf', 'devtools'],
    pools: { WEB: pool },
  });
  await using sessions = new SessionManager(pools);
  await mkdir(root);
  await writeFile(join(root, 'letter.txt'), 'Dear Ada');
  const { session } = await sessions.start({ client: 'test', sessionId: 'ada', root });
  const call = async (name: string, args = {}) => {
    const { result } = await session.callTool(`browser_${name}`, args);
    expect(result.isError, textOf(result)).toBeUndefined();
    return textOf(result);
  };

  await call('navigate', { url: 'data:text/html,<input type=file>' });
  await call('click', { target: 'input' });
  await call('file_upload', { paths: ['letter.txt'] });
  expect(
    await call('evaluate', { function: '() => document.querySelector("input").files[0].name' }),
  ).toContain('letter.txt');
  await call('pdf_save', { filename: 'letter.txt' });
  expect((await stat(join(root, 'letter-2.txt'))).size).toBeGreaterThan(500);
  // Its output folder is one of the process, not of the session.
  await call('take_screenshot', { scale: 'css' });
  expect((await readdir(join(output, 'out', 'WEB-0'))).filter((name) => name.endsWith('.png'))).toHaveLength(
    1,
  );
  await expect(session.callTool('browser_annotate', {})).rejects.toMatchObject({ code: 'EXECUTION_ERROR' });
});
