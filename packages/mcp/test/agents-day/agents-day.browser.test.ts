import { expect, it } from 'vitest';
import { StdioServer, textOf } from '../fixtures/stdio-server.js';
import { OFFERS, PRICES, startShop } from './shop.js';

/** At most so much of an answer is text (`ANSWER_MAX_KB`). */
const MOST = 40 * 1024;

it('an agent’s day: reads a long page by parts, fills a form, keeps a picture and a file, mends a click by its hint', async () => {
  await using shop = await startShop();
  await using server = await StdioServer.start();
  const { client } = server;
  const texts: string[] = [];
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await server.call(name, args);
    texts.push(textOf(result));
    const link = result.content.find((part) => part.type === 'resource_link');
    return { text: textOf(result), failed: result.isError === true, link };
  };
  const read = async (uri = '') => (await client.readResource({ uri })).contents[0];

  // The first part of the page is in the answer, and how to have the next one.
  const catalogue = await call('browser_navigate', { url: `${shop.origin}/catalogue` });
  expect(catalogue.text).toContain('link "Item 0"');
  const next = /Next page: browser_snapshot (\{.*?\})/.exec(catalogue.text)?.[1] ?? '';
  const second = await call('browser_snapshot', JSON.parse(next));
  expect(second.text).not.toContain('link "Item 0"');
  expect(second.text).toMatch(/link "Item \d\d+"/);

  // Of the rest only what is asked for.
  const buttons = await call('browser_snapshot', {
    flatten: true,
    jmespath_query: "[?role=='button'].{name: name, ref: ref}",
    output_format: 'json',
  });
  expect(buttons.text.match(/"name":"Buy offer \d+"/g)).toHaveLength(OFFERS);
  expect(buttons.text).not.toContain('Item');

  // A form at once.
  const field = (name: string, text: string) => ({
    tool: 'browser_type',
    args: { target: `[name=${name}]`, text },
  });
  const order = await call('browser_execute_bulk', {
    commands: [
      { tool: 'browser_navigate', args: { url: `${shop.origin}/order` } },
      field('name', 'Ada'),
      field('street', 'Analytical Lane 1'),
      field('town', 'London'),
      { tool: 'browser_click', args: { target: 'text=Send order' }, return_result: true },
    ],
  });
  expect(JSON.parse(order.text)).toMatchObject({ success: true, executed_count: 5 });
  expect(order.text).toContain('Thanks, Ada of London');

  // A picture that is too large for an answer, and a file.
  await call('browser_navigate', { url: `${shop.origin}/catalogue` });
  const picture = await call('browser_take_screenshot', { fullPage: true });
  expect(picture.link).toMatchObject({ mimeType: 'image/png' });
  const image = await read(picture.link?.uri);
  expect(Buffer.from(String(image && 'blob' in image && image.blob), 'base64').subarray(1, 4)).toEqual(
    Buffer.from('PNG'),
  );
  await call('browser_navigate', { url: `${shop.origin}/order` });
  let download = await call('browser_click', { target: 'text=Price list' });
  const linked = async () => {
    if (!download.link) download = await call('browser_snapshot', {});
    return download.link;
  };
  // On a busy machine it may be there only by the next answer.
  await expect.poll(linked).toBeDefined();
  expect(download.text).toContain('prices.csv');
  expect(await read(download.link?.uri)).toMatchObject({ text: PRICES });

  // The hint of a click that fails says what to click.
  const failed = await call('browser_click', { target: 'role=button[name="Submit order"]' });
  expect(failed).toMatchObject({ failed: true, text: expect.stringContaining('ELEMENT_NOT_FOUND') });
  const reference = /button "Send order" \[ref=(\w+)\]/.exec(failed.text)?.[1];
  const mended = await call('browser_click', { target: reference, element: 'Send order' });
  expect(mended.text).toContain('Thanks');

  for (const text of texts) expect(text.length).toBeLessThanOrEqual(MOST);
});
