/** Who shops, and what each is to buy: quantities by product id. No two baskets are alike. */
export const shoppers = [
  { user: 'alice', password: 'rain-on-tin', basket: { teapot: 1, mug: 2 } },
  { user: 'bob', password: 'slow-ferry', basket: { lantern: 2, blanket: 1 } },
  { user: 'carol', password: 'green-door', basket: { notebook: 3, 'tea-towel': 1 } },
  { user: 'dave', password: 'seven-plums', basket: { 'bread-knife': 1, 'watering-can': 1, mug: 1 } },
];
