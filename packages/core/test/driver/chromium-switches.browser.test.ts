// @module-tag at-length
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHROMIUM_SWITCHES, DISABLED_BY_PLAYWRIGHT } from '../../src/driver/launch/chromium-switches.js';
import { launchChromium } from './fixtures/browsers.js';

async function launch(args: readonly string[]) {
  const browser = await launchChromium(args);
  const cdp = await browser.newBrowserCDPSession();
  return { cdp, newPage: () => browser.newPage(), [Symbol.asyncDispose]: () => browser.close() };
}

describe('the command line of Chromium', () => {
  it('switches off what Playwright does, and no less', async () => {
    await using browser = await launch([]);
    const { processInfo } = await browser.cdp.send('SystemInfo.getProcessInfo');
    const processId = processInfo.find(({ type }) => type === 'browser')?.id;
    const switches = readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0');
    const disabled = switches.findLast((each) => each.startsWith('--disable-features='));
    expect(disabled?.replace('--disable-features=', '').split(',')).toEqual(DISABLED_BY_PLAYWRIGHT);
  });

  it('leaves navigator.webdriver false, as upstream does', async () => {
    const webdriver = async (args: readonly string[]) => {
      await using browser = await launch(args);
      const page = await browser.newPage();
      return await page.evaluate(() => navigator.webdriver);
    };
    expect(await webdriver([])).toBe(true);
    expect(await webdriver(CHROMIUM_SWITCHES)).toBe(false);
  });

  it('leaves no page beside the one that was opened', async () => {
    await using browser = await launch(CHROMIUM_SWITCHES);
    const { browserContextId } = await browser.cdp.send('Target.createBrowserContext');
    await browser.cdp.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { targetInfos } = await browser.cdp.send('Target.getTargets', { filter: [{}] });
    const types = targetInfos
      .filter((target) => target.browserContextId === browserContextId)
      .map(({ type }) => type);
    expect(types.sort()).toEqual(['page', 'tab']);
  });

  it('keeps no renderer process in reserve, which the next navigation of another context would throw away', async () => {
    await using browser = await launch(CHROMIUM_SWITCHES);
    const page = await browser.newPage();
    await page.goto('data:text/html,<h1>Page</h1>');
    const { processInfo } = await browser.cdp.send('SystemInfo.getProcessInfo');
    expect(processInfo.filter(({ type }) => type === 'renderer')).toHaveLength(1);
  });
});
