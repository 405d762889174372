import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Workspaces } from '../../src/upstream/workspace.js';

async function ownDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pwpool-workspace-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it('gives each holder a folder of its own while it lasts, whatever its name', async () => {
  const root = await ownDirectory();
  const workspaces = new Workspaces(undefined);
  const folder = (name: string) => workspaces.open(name, root);
  const ada = folder('ada');
  expect(ada.outputDir).toBe(join(root, '.pwpool', 'ada'));
  expect(folder('Ada').outputDir).toBe(join(root, '.pwpool', 'Ada-2'));
  expect(folder('../../etc/x y').outputDir).toBe(join(root, '.pwpool', '-..-etc-x-y'));
  expect(folder('..').outputDir).toBe(join(root, '.pwpool', 'session'));
  ada[Symbol.dispose]();
  expect(folder('ada').outputDir).toBe(join(root, '.pwpool', 'ada'));
  expect(new Workspaces('/out').open('ada', root).outputDir).toBe('/out/ada');
});

it('writes nothing into the root of the file system, where desktop applications start their servers', () => {
  expect(new Workspaces(undefined).outputDir('/')).toBe(join(tmpdir(), '.pwpool'));
});

it('frees the names of a holder with its end, and leaves names elsewhere to upstream', async () => {
  const [root, elsewhere] = [await ownDirectory(), await ownDirectory()];
  const workspaces = new Workspaces(undefined);
  const [ada, bob] = [workspaces.open('ada', root), workspaces.open('bob', root)];
  const place = async (holder: typeof ada, filename: string, anywhere = false) =>
    (await holder.place('browser_pdf_save', { filename }, anywhere)).args['filename'];
  expect(await place(ada, 'a.pdf')).toBe('a.pdf');
  expect(await place(bob, join(root, 'a.pdf'))).toBe(join(root, 'a-2.pdf'));
  ada[Symbol.dispose]();
  expect(await place(workspaces.open('eve', root), 'a.pdf')).toBe('a.pdf');

  const other = join(elsewhere, 'b.pdf');
  await writeFile(other, 'there');
  expect(await place(bob, other)).toBe(other);
  expect(await place(bob, other, true)).toBe(join(elsewhere, 'b-2.pdf'));
  expect(await bob.place('browser_click', { filename: 'a.pdf' }, false)).toEqual({
    args: { filename: 'a.pdf' },
  });
});
