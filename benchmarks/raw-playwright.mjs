/**
 * A program with Playwright and no server. Opens pages at once, says their titles, and ends with its standard input.
 *
 *   node raw-playwright.mjs <each: a browser for each page | packed: one for all> <the browser's program> <url> ...
 */
import { once } from 'node:events';
import { chromium } from 'playwright';

const [browsers, executablePath, ...urls] = process.argv.slice(2);
const launch = () => chromium.launch({ executablePath });
const shared = browsers === 'packed' ? launch() : undefined;
const pages = await Promise.all(
  urls.map(async (url) => {
    const page = await (await (shared ?? launch())).newPage();
    await page.goto(url);
    return page;
  }),
);
console.log(JSON.stringify(await Promise.all(pages.map((page) => page.title()))));

await once(process.stdin.resume(), 'end');
await Promise.all(pages.map((page) => page.context().browser().close()));
