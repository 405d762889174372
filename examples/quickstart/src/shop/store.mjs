import { randomBytes } from 'node:crypto';
import { findProduct } from './catalogue.mjs';

/**
 * What the shop remembers: one entry for each cookie, and the orders of all. Nothing is kept in the browser but the id,
 * so two browsers that got mixed up would see each other's name and cart.
 */
export class ShopStore {
  #accounts;
  #sessions = new Map();
  #orders = new Map();

  /** @param {Record<string, string>} accounts password by user name */
  constructor(accounts) {
    this.#accounts = new Map(Object.entries(accounts));
  }

  /** The session behind a cookie, or undefined when the id is unknown. */
  session(id) {
    return this.#sessions.get(id);
  }

  /** Starts a session under a fresh random id; undefined when the name or password is wrong. */
  logIn(user, password) {
    if (!this.#accounts.has(user) || this.#accounts.get(user) !== password) return undefined;
    const id = randomBytes(16).toString('hex');
    this.#sessions.set(id, { user, cart: new Map(), notice: '' });
    return id;
  }

  logOut(id) {
    this.#sessions.delete(id);
  }

  /** Turns the cart into an order, empties it, and returns the order. */
  placeOrder(session, address) {
    const number = `R-${1001 + this.#orders.size}`;
    const order = { number, user: session.user, address, ...cartContents(session) };
    this.#orders.set(number, order);
    session.cart.clear();
    return order;
  }

  /** The order with this number if it is the user's own, else undefined. */
  orderOf(user, number) {
    const order = this.#orders.get(number);
    return order?.user === user ? order : undefined;
  }
}

/** The cart's lines with their amounts, how many things they are, and the total, in cents. */
export function cartContents(session) {
  const lines = [...session.cart].map(([id, quantity]) => {
    const product = findProduct(id);
    return { product, quantity, amount: product.price * quantity };
  });
  return {
    lines,
    count: lines.reduce((sum, line) => sum + line.quantity, 0),
    total: lines.reduce((sum, line) => sum + line.amount, 0),
  };
}
