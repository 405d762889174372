import { performance } from 'node:perf_hooks';
import { BrowserSession } from './pwpool.mjs';
import { readReceipt } from './receipt.mjs';
import { findProduct } from './shop/catalogue.mjs';

/**
 * One user's visit: opens a browser session, logs in, fills the cart, orders, reads the receipt, closes the session.
 * Whatever the pages show goes to `verdict`.
 */
export async function visit({ client, shopUrl, shopper, verdict, signal }) {
  const started = performance.now();
  const { user, password, basket } = shopper;
  const browser = new BrowserSession(client, user, signal);
  const read = async () => {
    const snapshot = await browser.snapshot();
    verdict.checkRead(user, snapshot);
    return snapshot;
  };

  const { structuredContent: session } = await browser.call('start_browser');
  await browser.call('browser_navigate', { url: `${shopUrl}/login` });
  await browser.call('browser_fill_form', {
    fields: [
      { name: 'User name', type: 'textbox', target: "getByLabel('User name')", value: user },
      { name: 'Password', type: 'textbox', target: "getByLabel('Password')", value: password },
    ],
  });
  await browser.call('browser_click', { target: "getByRole('button', { name: 'Log in' })" });
  await read();

  for (const [id, quantity] of Object.entries(basket)) {
    const target = `getByRole('button', { name: 'Add ${findProduct(id).name} to cart' })`;
    for (let added = 0; added < quantity; added += 1) {
      await browser.call('browser_click', { target });
      await read();
    }
  }

  await browser.call('browser_click', { target: "getByRole('link', { name: 'Cart' })" });
  await read();
  await browser.call('browser_type', {
    target: "getByLabel('Delivery address')",
    text: `${user}, 1 Mill Lane`,
  });
  await browser.call('browser_click', { target: "getByRole('button', { name: 'Place order' })" });

  const receipt = readReceipt(await read());
  verdict.checkReceipt(shopper, receipt);
  const screenshot = await browser.screenshot();
  await browser.call('close_session');
  return {
    user,
    session,
    receipt,
    screenshot,
    calls: browser.calls,
    milliseconds: performance.now() - started,
  };
}
