import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MAX_STATE_BYTES } from '../../src/session/state/state-file.js';
import { StateStore } from '../../src/session/state/state-store.js';
import { errorOf } from '../pool/pool-fixture.js';
import { stateWith, temporaryDirectory } from './state-fixture.js';

const SECRET = 'cookie-value-that-nobody-may-read';
const PASSPHRASE = 'correct horse battery staple';

let directory: string;

beforeEach(async () => {
  const temporary = await temporaryDirectory();
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  directory = temporary.path;
});

const plainStore = () => new StateStore({ directory });
const encryptedStore = (passphrase = PASSPHRASE) => new StateStore({ directory, passphrase });
const errorsOf = (...refused: Promise<unknown>[]) => Promise.all(refused.map(errorOf));
const fileOf = (name: string) => join(directory, `${name}.json`);

describe('saved states', () => {
  it('are found by another store, and replaced', async () => {
    await plainStore().save('bob', stateWith('1'));
    await plainStore().save('ada', stateWith('1'));
    await plainStore().save('ada', stateWith('2'));
    expect(await plainStore().load('ada')).toEqual(stateWith('2'));
    expect(await plainStore().load('bob')).toEqual(stateWith('1'));
    expect((await readdir(directory)).sort()).toEqual(['ada.json', 'bob.json']);
  });

  it('are for their user only', async () => {
    await plainStore().save('ada', stateWith('1'));
    expect((await lstat(directory)).mode & 0o777).toBe(0o700);
    expect((await lstat(fileOf('ada'))).mode & 0o777).toBe(0o600);
  });

  it('are none before the first is saved', async () => {
    expect(await errorOf(plainStore().load('ada'))).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      details: { name: 'ada', valid: [] },
    });
  });

  it('of a principal with a folder of its own are out of reach for others [arch-principal-08]', async () => {
    const store = plainStore();
    const [ada, bob] = ['ada', 'bob'].map((name) =>
      store.of({ name, pools: 'all', limits: {}, folder: name }),
    );
    await store.save('login', stateWith('0'));
    await ada?.save('login', stateWith('1'));
    await ada?.save('other', stateWith('1'));
    expect(await errorOf(bob?.load('login') ?? Promise.resolve())).toMatchObject({ details: { valid: [] } });
    await bob?.save('login', stateWith('2'));
    expect(await Promise.all([store, ada, bob].map((each) => each?.load('login')))).toEqual(
      ['0', '1', '2'].map((value) => stateWith(value)),
    );
    expect(await errorOf(store.load('other'))).toMatchObject({ details: { valid: ['login'] } });
    for (const name of ['../ada/login', 'principals/ada/login', '..']) {
      expect(await errorOf(bob?.load(name) ?? Promise.resolve())).toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
    }
    expect((await lstat(join(directory, 'principals', 'ada'))).mode & 0o777).toBe(0o700);
  });

  it('that do not exist are answered with the names of those that do', async () => {
    for (const name of ['bob', 'ada']) await plainStore().save(name, stateWith('1'));
    const error = await errorOf(plainStore().load('eve'));
    expect(error).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: 'Use one of: ada, bob.',
      details: { name: 'eve', valid: ['ada', 'bob'] },
    });
  });

  it.each(['', '.', '..', '.ada', '../ada', 'a/b', 'a\\b', 'a b', 'a\n', 'ä', 'a\0', 'x'.repeat(65)])(
    'have no name such as %j',
    async (name) => {
      const store = plainStore();
      for (const error of await errorsOf(store.save(name, stateWith('1')), store.load(name))) {
        expect(error.code).toBe('INVALID_ARGUMENTS');
      }
    },
  );

  it.each(['a', '-', '_', '0', 'a..b', 'shop.example_2-b', 'x'.repeat(64)])(
    'may be named %s',
    async (name) => {
      await plainStore().save(name, stateWith(name));
      expect((await errorOf(plainStore().load('other'))).details).toMatchObject({ valid: [name] });
      expect(await plainStore().load(name)).toEqual(stateWith(name));
    },
  );

  it('of one name that are saved at once leave one of them, whole', async () => {
    const states = Array.from({ length: 8 }, (_, round) => stateWith(String(round).repeat(100_000)));
    await Promise.all(states.map((state) => plainStore().save('ada', state)));
    expect(states).toContainEqual(await plainStore().load('ada'));
    expect(await readdir(directory)).toEqual(['ada.json']);
  });

  it('larger than the limit are refused, and the one before stays', async () => {
    await plainStore().save('ada', stateWith('1'));
    const error = await errorOf(plainStore().save('ada', stateWith('x'.repeat(MAX_STATE_BYTES))));
    expect(error).toMatchObject({ code: 'EXECUTION_ERROR', details: { limit: 64 * 1024 * 1024 } });
    expect(error.message).toContain('too large');
    expect(await plainStore().load('ada')).toEqual(stateWith('1'));
  });
});

describe('a key', () => {
  it('keeps every word of the state out of the file, and opens it again', async () => {
    await encryptedStore().save('ada', stateWith(SECRET));
    const text = await readFile(fileOf('ada'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ format: 'pwpool-state', version: 1, encrypted: true });
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('site.test');
    expect(text).not.toContain(PASSPHRASE);
    expect(await encryptedStore().load('ada')).toEqual(stateWith(SECRET));
  });

  it('gives the same state another file each time', async () => {
    await encryptedStore().save('ada', stateWith(SECRET));
    await encryptedStore().save('bob', stateWith(SECRET));
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map(async (name) => JSON.parse(await readFile(fileOf(name), 'utf8'))),
    );
    for (const field of ['salt', 'iv', 'keyCheck', 'tag', 'data']) expect(ada[field]).not.toBe(bob[field]);
  });

  it('that is wrong or missing is told, and not taken for damage', async () => {
    await encryptedStore().save('ada', stateWith(SECRET));
    const wrong = await errorOf(encryptedStore('something else').load('ada'));
    const missing = await errorOf(plainStore().load('ada'));
    expect(wrong.code).toBe('CONFIG_INVALID');
    expect(wrong.message).toContain('another key');
    expect(missing.code).toBe('CONFIG_INVALID');
    expect(missing.message).toContain('no key is configured');
    for (const error of [wrong, missing]) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/something else|correct horse|cookie-value/);
    }
  });

  it('reads what was saved without one, and encrypts it with the next save', async () => {
    await plainStore().save('ada', stateWith(SECRET));
    const state = await encryptedStore().load('ada');
    expect(state).toEqual(stateWith(SECRET));
    await encryptedStore().save('ada', state);
    expect(await readFile(fileOf('ada'), 'utf8')).not.toContain(SECRET);
  });

  it('is not empty, and not shown', () => {
    expect(() => encryptedStore('')).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(inspect(encryptedStore(), { showHidden: true, depth: 9 })).not.toContain(PASSPHRASE);
  });
});

describe('a damaged file', () => {
  const flip = (base64: string) => {
    const bytes = Buffer.from(base64, 'base64');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return bytes.toString('base64');
  };

  it.each(['iv', 'tag', 'data'])('is recognised when its %s was changed', async (field) => {
    await encryptedStore().save('ada', stateWith(SECRET));
    const file = JSON.parse(await readFile(fileOf('ada'), 'utf8'));
    await writeFile(fileOf('ada'), JSON.stringify({ ...file, [field]: flip(file[field]) }));
    expect((await errorOf(encryptedStore().load('ada'))).code).toBe('EXECUTION_ERROR');
  });

  it.each(['salt', 'keyCheck'])('does not open when its %s was changed', async (field) => {
    await encryptedStore().save('ada', stateWith(SECRET));
    const file = JSON.parse(await readFile(fileOf('ada'), 'utf8'));
    await writeFile(fileOf('ada'), JSON.stringify({ ...file, [field]: flip(file[field]) }));
    expect((await errorOf(encryptedStore().load('ada'))).code).toBe('CONFIG_INVALID');
  });

  it.each([true, false])('is recognised when it was cut off (encrypted: %s)', async (encrypted) => {
    const store = encrypted ? encryptedStore() : plainStore();
    await store.save('ada', stateWith(SECRET));
    const { size } = await lstat(fileOf('ada'));
    for (const length of [0, 20, size - 20]) {
      await truncate(fileOf('ada'), length);
      const error = await errorOf(store.load('ada'));
      expect(error).toMatchObject({ code: 'EXECUTION_ERROR', details: { name: 'ada' } });
      expect(inspect(error, { depth: 9 })).not.toContain('cookie-value');
    }
  });

  it.each([
    ['no JSON', `${SECRET}`],
    ['another format', JSON.stringify({ format: 'other', version: 1, secret: SECRET })],
    [
      'another state',
      JSON.stringify({ format: 'pwpool-state', version: 1, encrypted: false, state: { cookies: SECRET } }),
    ],
    ['a short tag', JSON.stringify({ format: 'pwpool-state', version: 1, encrypted: true, tag: '' })],
  ])('is recognised when it holds %s, and not quoted', async (_, text) => {
    await mkdir(directory, { mode: 0o700 });
    await writeFile(fileOf('ada'), text);
    const error = await errorOf(encryptedStore().load('ada'));
    expect(error.code).toBe('EXECUTION_ERROR');
    expect(inspect(error, { depth: 9 })).not.toContain('cookie-value');
  });

  it('of a later version is told as such', async () => {
    await mkdir(directory, { mode: 0o700 });
    await writeFile(fileOf('ada'), JSON.stringify({ format: 'pwpool-state', version: 2 }));
    expect((await errorOf(plainStore().load('ada'))).message).toContain('format version 2');
  });

  it('of absurd size is not read', async () => {
    await plainStore().save('ada', stateWith('1'));
    await truncate(fileOf('ada'), 2 ** 33);
    expect((await errorOf(plainStore().load('ada'))).code).toBe('EXECUTION_ERROR');
  });
});

describe('the directory', () => {
  it('is refused when others may use it, with what to do', async () => {
    await plainStore().save('ada', stateWith('1'));
    await chmod(directory, 0o750);
    const store = plainStore();
    for (const error of await errorsOf(store.save('ada', stateWith('2')), store.load('ada'))) {
      expect(error).toMatchObject({
        code: 'CONFIG_INVALID',
        hint: expect.stringContaining(`chmod 700 ${directory}`),
      });
    }
    await chmod(directory, 0o700);
    expect(await store.load('ada')).toEqual(stateWith('1'));
  });

  it('is refused when it is a file, a link, or below a file', async () => {
    await plainStore().save('ada', stateWith('1'));
    const link = `${directory}-link`;
    await symlink(directory, link);
    for (const path of [fileOf('ada'), link, join(fileOf('ada'), 'below')]) {
      const store = new StateStore({ directory: path });
      expect((await errorOf(store.save('eve', stateWith('2')))).code).toBe('CONFIG_INVALID');
    }
  });
});

describe('a writer that was killed', () => {
  it('leaves the old state or the new one, never half of it, and nothing after the next save', async () => {
    const size = 4_000_000;
    const child = spawn(
      process.execPath,
      [
        '--import',
        pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
        fileURLToPath(new URL('saving-child.ts', import.meta.url)),
        directory,
        String(size),
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    // It has saved before, and is in the middle of saving again.
    const isSaving = async () => {
      const names = await readdir(directory).catch((): string[] => []);
      return names.includes('ada.json') && names.some((name) => name.endsWith('.tmp'));
    };
    await expect.poll(isSaving, { interval: 1 }).toBe(true);
    child.kill('SIGKILL');
    await ended;

    const value = (await plainStore().load('ada')).cookies[0]?.value ?? '';
    expect(value).toHaveLength(size);
    expect(new Set(value).size).toBe(1);
    await plainStore().save('bob', stateWith('1'));
    expect((await readdir(directory)).sort()).toEqual(['ada.json', 'bob.json']);
  });

  it('is told from one that still writes, also when it had the same process id', async () => {
    const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(ended, 'exit');
    await mkdir(directory, { mode: 0o700 });
    const leftovers = [`.${ended.pid}-0123456789ab-0.tmp`, `.${process.pid}-0123456789ab-3.tmp`];
    const kept = [`.${process.ppid}-0123456789ab-0.tmp`, '.something-else.tmp'];
    for (const name of [...leftovers, ...kept]) await writeFile(join(directory, name), 'half');
    await plainStore().save('ada', stateWith('1'));
    expect((await readdir(directory)).sort()).toEqual([...kept, 'ada.json'].sort());
    expect((await errorOf(plainStore().load('eve'))).details).toMatchObject({ valid: ['ada'] });
  });
});
