import { findProduct, formatPrice } from './shop/catalogue.mjs';

/** What a receipt must say after `shopper` bought the basket. */
export function expectedReceipt({ user, basket }) {
  const lines = Object.entries(basket).map(([id, quantity]) => ({ product: findProduct(id), quantity }));
  const total = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  return {
    user,
    items: lines.map(({ product, quantity }) => `${quantity} ${product.name}`),
    total: formatPrice(total),
  };
}

/** What the receipt page says, by its snapshot. A part that the page does not show is undefined, or missing in `items`. */
export function readReceipt(snapshot) {
  const rows = tableRows(snapshot);
  return {
    user: snapshot.match(/Ordered by (\w+)/)?.[1],
    number: snapshot.match(/heading "Receipt (R-\d+)"/)?.[1],
    items: rows.filter(([name]) => name !== 'Total').map(([name, quantity]) => `${quantity} ${name}`),
    total: rows.find(([name]) => name === 'Total')?.[1],
  };
}

/** The rows of a snapshot's table, each the name of its header cell and the texts of its cells. */
function tableRows(snapshot) {
  const rows = [];
  for (const [, role, text] of snapshot.matchAll(/- (rowheader|cell) "([^"]*)"/g)) {
    if (role === 'rowheader') rows.push([text]);
    else rows.at(-1)?.push(text);
  }
  return rows;
}
