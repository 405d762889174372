import { performance } from 'node:perf_hooks';
import { readReceipt } from './receipt.mjs';
import { findProduct } from './shop/catalogue.mjs';

/**
 * One user's visit: opens a browser, logs in, fills the cart, orders, reads the receipt, closes the browser. Whatever the
 * pages show goes to `verdict`.
 */
export async function visit({ browser, shopUrl, shopper, verdict }) {
  const started = performance.now();
  const { user, password, basket } = shopper;
  const click = async (target) => {
    const page = await browser.click(target);
    verdict.checkRead(user, page);
    return page;
  };

  const instance = await browser.open();
  await browser.call('browser_navigate', { url: `${shopUrl}/login` });
  await browser.call('browser_fill_form', {
    fields: [
      { name: 'User name', type: 'textbox', target: "getByLabel('User name')", value: user },
      { name: 'Password', type: 'textbox', target: "getByLabel('Password')", value: password },
    ],
  });
  await click("getByRole('button', { name: 'Log in' })");

  for (const [id, quantity] of Object.entries(basket)) {
    const target = `getByRole('button', { name: 'Add ${findProduct(id).name} to cart' })`;
    for (let added = 0; added < quantity; added += 1) await click(target);
  }

  await click("getByRole('link', { name: 'Cart' })");
  await browser.call('browser_type', {
    target: "getByLabel('Delivery address')",
    text: `${user}, 1 Mill Lane`,
  });
  const receipt = readReceipt(await click("getByRole('button', { name: 'Place order' })"));
  verdict.checkReceipt(shopper, receipt);
  const screenshot = await browser.screenshot();
  await browser.close();
  return {
    user,
    instance,
    receipt,
    screenshot,
    calls: browser.calls,
    milliseconds: performance.now() - started,
  };
}
