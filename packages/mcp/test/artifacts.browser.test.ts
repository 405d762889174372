import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { onSharedServer } from './fixtures/shared-server.js';
import { packedPool, type StdioServer, textOf } from './fixtures/stdio-server.js';

const it = onSharedServer({ ...packedPool('DEFAULT', 2), PW_MCP_PROXY_CAPS: 'pdf' });

/** A page with a picture that compresses badly, a file to download, and a long text. */
const PAGE = `<!doctype html><title>Shop</title><a href="/report.csv" download>Report</a><canvas width="400" height="400"></canvas>
<script>
  const context = document.querySelector('canvas').getContext('2d');
  const image = context.createImageData(400, 400);
  for (let offset = 0; offset < image.data.length; offset += 65536)
    crypto.getRandomValues(image.data.subarray(offset, offset + 65536));
  for (let alpha = 3; alpha < image.data.length; alpha += 4) image.data[alpha] = 255;
  context.putImageData(image, 0, 0);
</script>`;

const site = createServer((request, response) => {
  if (request.url === '/report.csv') {
    response.setHeader('content-disposition', 'attachment');
    response.end('name,price\nBröt,3\n');
  } else {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(PAGE);
  }
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});

afterAll(() => {
  site.closeAllConnections();
  site.close();
});

function linksIn({ content }: CallToolResult) {
  return content.filter((part) => part.type === 'resource_link');
}

async function bytesOf(server: StdioServer, uri: string): Promise<Buffer> {
  const { contents } = await server.client.readResource({ uri });
  const [found] = contents;
  return found && 'blob' in found ? Buffer.from(found.blob, 'base64') : Buffer.from(found?.text ?? '');
}

describe('artifacts of a real browser', () => {
  it('a full-page screenshot is read as a resource, in parts too, and as the file [arch-artifact-01]', async ({
    server,
  }) => {
    await server.text('browser_navigate', { url });
    const result = await server.call('browser_take_screenshot', { fullPage: true });
    expect(result.content.map(({ type }) => type)).not.toContain('image');
    const [link] = linksIn(result);
    const image = await bytesOf(server, link?.uri ?? '');
    expect(link).toMatchObject({ mimeType: 'image/png', size: image.byteLength });
    expect(image.subarray(1, 4).toString()).toBe('PNG');
    const half = image.byteLength >> 1;
    const parts = [`offset=0&length=${half}`, `offset=${half}`].map((range) =>
      bytesOf(server, `${link?.uri}?${range}`),
    );
    expect(Buffer.concat(await Promise.all(parts)).equals(image)).toBe(true);
    const file = /^- \[Screenshot.*\]\((.*)\)$/m.exec(textOf(result))?.[1] ?? '';
    expect((await readFile(file)).equals(image)).toBe(true);
  });

  it('a small screenshot is in the answer as before', async ({ server }) => {
    await server.text('browser_navigate', { url: 'about:blank' });
    const { content } = await server.call('browser_take_screenshot');
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
  });

  it('a PDF, a download and a file with a name of its own are linked, also in a bulk answer', async ({
    server,
  }) => {
    const links: ReturnType<typeof linksIn> = [];
    const bulk = async (...commands: { tool: string; args: Record<string, unknown> }[]) => {
      const answer = await server.call('browser_execute_bulk', { return_all_results: true, commands });
      links.push(...linksIn(answer));
      return links.map(({ mimeType }) => mimeType);
    };
    await bulk(
      { tool: 'browser_navigate', args: { url } },
      { tool: 'browser_pdf_save', args: {} },
      { tool: 'browser_evaluate', args: { function: '() => document.title', filename: 'title.json' } },
      { tool: 'browser_click', args: { target: 'text=Report' } },
    );
    // The answer that comes when it is on the disk links a download.
    await expect
      .poll(() => bulk({ tool: 'browser_snapshot', args: {} }))
      .toEqual(expect.arrayContaining(['application/pdf', 'text/csv', 'application/json']));
    const csv = links.find(({ name }) => name === 'report.csv');
    expect(String(await bytesOf(server, csv?.uri ?? ''))).toBe('name,price\nBröt,3\n');
    const json = links.find(({ name }) => name === 'title.json');
    expect(String(await bytesOf(server, json?.uri ?? ''))).toBe('"Shop"');
  });

  it('a long text is cut where a client would cut it, and the rest is read from the line that says so [arch-artifact-03]', async ({
    server,
  }) => {
    const text = await server.text('browser_evaluate', {
      function: '() => Array.from({ length: 20000 }, (_, index) => `row ${index}`)',
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(40 * 1024);
    const uri = /The rest: read (\S+),/.exec(text)?.[1] ?? '';
    const rest = String(await bytesOf(server, uri));
    expect(Buffer.byteLength(rest)).toBeLessThanOrEqual(40_000);
    const [, last] = [...text.matchAll(/"row (\d+)"/g)].at(-1) ?? [];
    const [, first] = /"row (\d+)"/.exec(rest) ?? [];
    expect(Number(first)).toBe(Number(last) + 1);
  });
});
