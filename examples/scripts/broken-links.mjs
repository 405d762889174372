// The links of each page that lead nowhere.
//   pwpool run broken-links.mjs --data pages.csv --out links.jsonl      (a column: url)
export default async ({ page, row, context, signal }) => {
  await page.goto(row.url);
  const found = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map(({ href }) => href.split('#')[0]));
  const links = [...new Set(found)].filter((href) => /^https?:/.test(href));
  const broken = [];
  for (const href of links) {
    signal.throwIfAborted();
    const status = await statusOf(context, href);
    if (status < 400) continue;
    broken.push({ href, status });
  }
  return { url: row.url, links: links.length, broken };
};

/** With the cookies of the browser; 599 for a server that does not answer. Some answer GET only. */
async function statusOf({ request }, href) {
  for (const method of ['HEAD', 'GET']) {
    const response = await request
      .fetch(href, { method, timeout: 15_000, maxRedirects: 5 })
      .catch(() => undefined);
    if (response && response.status() < 400) return response.status();
    if (method === 'GET') return response?.status() ?? 599;
  }
  return 599;
}
