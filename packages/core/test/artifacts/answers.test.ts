import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import { Calls } from '../../src/calls/calls.js';
import type { ConfigInput } from '../../src/config/config-input.js';
import { textOf } from '../../src/connection/answer-text.js';
import type { ToolResult } from '../../src/connection/tool-connection.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { poolsOf } from '../pool/pool-fixture.js';
import { bytes, newDirectory } from './artifacts-fixture.js';

const KIB = 1024;

type Content = ToolResult['content'];

/** Calls of a client on this machine, and of one on another, over a fake browser that answers what the test says. */
async function answersOf(server: Omit<ConfigInput, 'pools'> = {}) {
  const directory = await newDirectory();
  const outputDir = join(dirname(directory), 'output');
  const { pools, driver } = await poolsOf(
    { WEB: { instances: 2, isDefault: true } },
    { server: { blobStorageRoot: directory, outputDir, ...server } },
  );
  const artifacts = new Artifacts(pools);
  const sessions = new SessionManager(pools);
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]();
    await artifacts[Symbol.asyncDispose]();
  });
  const calls = new Calls({ pools, sessions, artifacts });
  const started = new Set<string>();
  let content: Content = [];
  driver.answer = () => ({ content });
  const call = async (answer: Content, { sharesDisk = true, sessionId = 'browser-1' } = {}) => {
    content = answer;
    const client = { id: 'ada', sharesDisk };
    if (!started.has(sessionId)) await calls.startSession({ client, sessionId });
    started.add(sessionId);
    const target = { sessionId };
    const given = await calls.run({ client, tool: 'browser_take_screenshot', args: {}, target });
    if (!given.success) throw given.error;
    return given.result;
  };
  const fail = async (message: string) => {
    driver.answer = () => ({ isError: true, content: [text(`### Error\n${message}`)] });
    return await calls.run({ client: { id: 'ada' }, tool: 'browser_evaluate', args: {} });
  };
  /** A file in the folder of the session, as upstream writes them. */
  const write = async (name: string, data: string | Buffer, session = 'browser-1') => {
    const file = join(outputDir, session, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, data);
    return file;
  };
  return { call, fail, write, artifacts, calls, directory, outputDir };
}

const text = (each: string): Content[number] => ({ type: 'text', text: each });
const image = (data: Buffer): Content[number] => ({
  type: 'image',
  data: data.toString('base64'),
  mimeType: 'image/png',
});

function linksIn({ content }: ToolResult) {
  return content.filter((part) => part.type === 'resource_link');
}

function sizeOf(result: ToolResult): number {
  return Buffer.byteLength(textOf(result));
}

describe('an image in an answer', () => {
  it('stays where it is when it is small', async () => {
    const { call, write, artifacts } = await answersOf();
    const small = bytes(50 * KIB);
    const file = await write('page.png', small);
    const answer = [text(`### Result\n- [Screenshot of viewport](${file})`), image(small)];
    expect((await call(answer)).content).toEqual(answer);
    expect(artifacts.list('ada')).toEqual([]);
  });

  it('is a link when it is large, with its size, type and expiry, and the path on this machine [arch-artifact-01]', async () => {
    const { call, write, artifacts } = await answersOf();
    const large = bytes(312 * KIB);
    const file = await write('page.png', large);
    const result = await call([text(`### Result\n- [Screenshot of full page](${file})`), image(large)]);
    const [link] = linksIn(result);
    expect(link).toMatchObject({ name: 'page.png', mimeType: 'image/png', size: 312 * KIB });
    expect(link?.description).toBe('312 KB, until 2026-01-03 10:15 UTC');
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'text']);
    expect(textOf(result)).toContain(`The image (312 KB) is not shown here: read ${link?.uri} or that file.`);
    expect((await artifacts.read('ada', link?.uri.slice(7) ?? '', { offset: 0 }))?.content).toEqual(large);
  });

  it('has a path also when no file was written', async () => {
    const { call, directory } = await answersOf({ blobSizeThresholdKb: 0 });
    const result = await call([image(bytes(10))]);
    const [link] = linksIn(result);
    expect(link?.name).toBe('browser_take_screenshot.png');
    expect(textOf(result)).toContain(` or the file ${join(directory, `${link?.uri.slice(7)}.png`)}.`);
    expect(textOf(await call([image(bytes(10))], { sharesDisk: false }))).not.toContain(directory);
  });

  it('that cannot be stored stays if clients can take it, and the reason is told [arch-artifact-04]', async () => {
    const { call } = await answersOf({ blobQuotaMb: 1 });
    const shown = image(bytes(1000 * KIB));
    await call([shown]);
    const refused = await call([text('done'), image(bytes(1000 * KIB, 2))]);
    expect(refused.content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(textOf(refused)).toMatch(/^done\nNo artifact of the image \(1000 KB\): .*\(BLOB_QUOTA_MB\)\.$/);
    const huge = await call([text('done'), image(bytes(1025 * KIB))]);
    expect(textOf(huge)).toMatch(
      /^done\nNo artifact of the image \(1 MB\): .*\(BLOB_MAX_SIZE_MB|QUOTA_MB\)\.$/,
    );
    expect(huge.content.map(({ type }) => type)).toEqual(['text', 'text']);
  });
});

describe('a file that a tool wrote', () => {
  it('is linked, whatever its size: a PDF, a download, a trace [arch-artifact-01]', async () => {
    const { call, write } = await answersOf();
    const pdf = await write('page.pdf', 'a PDF');
    const trace = await write('traces/trace-1.zip', 'a trace');
    const report = await write('report (1).csv', 'a,b');
    const result = await call([
      text(
        [
          '### Result',
          `- [Page as pdf](${pdf})`,
          `- [Trace](${trace}), to open with "npx playwright show-trace"`,
          '### Events',
          '- Downloading file report (1).csv ...',
          `- Downloaded file report (1).csv to "${report}"`,
        ].join('\n'),
      ),
    ]);
    expect(linksIn(result).map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual([
      'page.pdf application/pdf',
      'trace-1.zip application/zip',
      'report (1).csv text/csv',
    ]);
    expect(textOf(result)).toContain(`(${pdf})`);
  });

  it('is named by its address alone to a client on another machine', async () => {
    const { call, write, outputDir } = await answersOf();
    const pdf = await write('page.pdf', 'a PDF');
    const result = await call([text(`### Result\n- [Page as pdf](${pdf})`)], { sharesDisk: false });
    expect(textOf(result)).toBe(`### Result\n- [Page as pdf](${linksIn(result)[0]?.uri})`);
    const large = bytes(60 * KIB);
    const png = await write('page.png', large);
    const shot = [text(`- [Screenshot of viewport](${png})\n// saved as ${png}`), image(large)];
    expect(JSON.stringify(await call(shot, { sharesDisk: false }))).not.toContain(outputDir);
  });

  it('is none when the page only says so: a file of another session, of the server, a folder', async () => {
    const { call, write, outputDir } = await answersOf();
    const foreign = await write('secret.txt', 'of another', 'browser-2');
    await write('traces/x', '');
    const links = [
      '/etc/hostname',
      foreign,
      '../../../etc/hostname',
      `${outputDir}/browser-1/traces`,
      '.',
      'gone.txt',
    ];
    const said = text(links.map((link) => `- [x](${link})`).join('\n'));
    expect((await call([said])).content).toEqual([said]);
  });

  it('is looked for in a text that a page has made hard to search', async () => {
    const { call } = await answersOf();
    const result = await call([
      text(`- Downloaded file ${' to "'.repeat(300_000)}x`),
      text(`- [${'](('.repeat(300_000)}`),
    ]);
    expect(textOf(result)).toMatch(/^- Downloaded file {2}to " to "/);
  });

  it('that is too large leaves the rest of the answer as it was [arch-artifact-04]', async () => {
    const { call, write } = await answersOf({ blobMaxSizeMb: 1 });
    const video = await write('video.webm', bytes(1025 * KIB));
    const answer = text(`### Result\n- [Video](${video})`);
    expect((await call([answer])).content).toEqual([
      answer,
      text(
        'No artifact of video.webm: It is larger than the 1 MB that an artifact may have (BLOB_MAX_SIZE_MB).',
      ),
    ]);
  });
});

describe('the text of an answer', () => {
  it('up to ANSWER_MAX_KB is as it was', async () => {
    const { call } = await answersOf();
    const answer = [text('x'.repeat(38 * KIB))];
    expect((await call(answer)).content).toEqual(answer);
  });

  it('above it is an artifact with its beginning inline, and a line how to read the rest [arch-artifact-03]', async () => {
    const { call, artifacts } = await answersOf();
    const long = Array.from({ length: 5000 }, (_, line) => `- link "Number ${line}" [ref=e${line}]`).join(
      '\n',
    );
    const whole = `### Page\n- Page URL: about:blank\n### Snapshot\n\`\`\`yaml\n${long}\n\`\`\``;
    const result = await call([text(whole)]);
    expect(sizeOf(result)).toBeLessThanOrEqual(40 * KIB);
    const [link] = linksIn(result);
    const [, shown = '', address = ''] =
      /^([\s\S]*)\n```\nCut: \d+ KB of \d+ KB are shown\. The rest: read (\S+), or the file \/\S+\.txt\.$/.exec(
        textOf(result),
      ) ?? [];
    expect(whole.startsWith(shown)).toBe(true);
    expect(shown.length).toBeGreaterThan(37 * KIB);
    expect(address).toBe(`${link?.uri}?offset=${shown.length}&length=40000`);
    const rest = await artifacts.read('ada', link?.uri.slice(7) ?? '', { offset: shown.length });
    expect(shown + String(rest?.content)).toBe(whole);
  });

  it.each([
    ['one line of characters of four bytes', '🙂'.repeat(20_000)],
    ['NUL, lone surrogates and what is escaped', '\0\ud800"\\\n'.repeat(20_000)],
    ['10 MB', 'x'.repeat(10 * KIB * KIB)],
  ])('is whole characters within the limit: %s', async (_, long) => {
    const { call } = await answersOf();
    const result = await call([text('### Result'), text(long), text('a note')]);
    expect(sizeOf(result)).toBeLessThanOrEqual(40 * KIB);
    expect(sizeOf(result)).toBeGreaterThan(35 * KIB);
    expect(textOf(result)).toMatch(/^### Result\n[\s\S]*\nCut: .*\na note$/);
    expect(linksIn(result)).toHaveLength(1);
  });

  it('that cannot be stored is cut all the same, and says so [arch-artifact-04]', async () => {
    const { call } = await answersOf({ blobMaxSizeMb: 1 });
    const result = await call([text('x'.repeat(1025 * KIB))]);
    expect(sizeOf(result)).toBeLessThanOrEqual(40 * KIB);
    expect(textOf(result)).toMatch(
      /\nCut: 38 KB of 1 MB are shown\. The rest is lost: .*\(BLOB_MAX_SIZE_MB\)\.$/,
    );
  });
});

it('a failure has a message of a length that can be told twice', async () => {
  const { fail } = await answersOf();
  const answer = await fail('x'.repeat(100 * KIB));
  if (answer.success) throw new Error('It did not fail.');
  expect(answer.error.message).toMatch(/^x{4000}… \(102400 characters in all\)$/);
  expect(JSON.stringify(answer.result).length).toBeLessThan(10 * KIB);
});
