import { catalogue, formatPrice } from './catalogue.mjs';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** The frame of every page. `visitor` is { user, count } of a signed-in session, and undefined before. */
function layout(title, visitor, main) {
  const navigation = visitor
    ? `<nav aria-label="Shop"><a href="/">Catalogue</a> <a href="/cart">Cart (${visitor.count})</a></nav>
      <p class="user">Signed in as ${escapeHtml(visitor.user)}</p>
      <form method="post" action="/logout"><button class="quiet">Log out</button></form>`
    : '';
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${escapeHtml(title)} - Corner Shop</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <header><a class="brand" href="/">Corner Shop</a>${navigation}</header>
  <main>${main}</main>
</body>
</html>`;
}

function linesTable(caption, { lines, total }) {
  const rows = lines.map(
    ({ product, quantity, amount }) => `<tr><th scope="row">${product.name}</th><td>${quantity}</td>
      <td>${formatPrice(product.price)}</td><td>${formatPrice(amount)}</td></tr>`,
  );
  return `<table><caption>${caption}</caption>
    <thead><tr><th scope="col">Item</th><th scope="col">Quantity</th><th scope="col">Price</th><th scope="col">Amount</th></tr></thead>
    <tbody>${rows.join('')}</tbody>
    <tfoot><tr><th scope="row" colspan="3">Total</th><td>${formatPrice(total)}</td></tr></tfoot></table>`;
}

/** @param {string} problem why the last attempt failed, or an empty string */
export function loginPage(problem) {
  return layout(
    'Log in',
    undefined,
    `<form class="card narrow" method="post" action="/login"><h1>Log in</h1>
      ${problem ? `<p role="alert">${problem}</p>` : ''}
      <label>User name <input name="user" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Log in</button></form>`,
  );
}

/** @param {string} notice what the last click did, or an empty string */
export function cataloguePage(visitor, notice) {
  const products = catalogue.map(
    ({ id, name, note, price, hue }) => `<li class="product">
      <div class="tile hue-${hue}" aria-hidden="true">${name[0]}</div>
      <h2>${name}</h2><p>${note}</p>
      <form method="post" action="/cart"><span class="price">${formatPrice(price)}</span>
        <button name="product" value="${id}" aria-label="Add ${name} to cart">Add to cart</button></form></li>`,
  );
  return layout(
    'Catalogue',
    visitor,
    `<h1>Catalogue</h1>${notice ? `<p role="status">${notice}</p>` : ''}<ul class="catalogue">${products.join('')}</ul>`,
  );
}

export function cartPage(visitor, contents) {
  const body =
    contents.count === 0
      ? '<p>Your cart is empty. <a href="/">Go to the catalogue</a></p>'
      : `${linesTable('In your cart', contents)}
        <form method="post" action="/orders"><label>Delivery address <input name="address" autocomplete="street-address" required></label>
        <button>Place order</button></form>`;
  return layout('Cart', visitor, `<section class="card"><h1>Cart</h1>${body}</section>`);
}

export function receiptPage(visitor, order) {
  return layout(
    `Receipt ${order.number}`,
    visitor,
    `<article class="card"><h1>Receipt ${order.number}</h1>
      <p>Ordered by ${escapeHtml(order.user)}</p>
      <p>Delivered to ${escapeHtml(order.address)}</p>
      ${linesTable('What you bought', order)}<p class="thanks">Thank you for your order.</p></article>`,
  );
}

export function messagePage(visitor, title, text) {
  return layout(
    title,
    visitor,
    `<section class="card"><h1>${title}</h1><p role="alert">${text}</p></section>`,
  );
}
