/** What the shop sells. Prices are in cents; `hue` colours the product's tile. */
export const catalogue = [
  { id: 'teapot', name: 'Teapot', note: 'Stoneware, holds one litre', price: 3400, hue: 28 },
  { id: 'mug', name: 'Mug', note: 'Speckled glaze, 300 ml', price: 1250, hue: 200 },
  { id: 'lantern', name: 'Lantern', note: 'Tin and glass, for one candle', price: 2800, hue: 46 },
  { id: 'blanket', name: 'Blanket', note: 'Lambswool, 130 by 180 cm', price: 7900, hue: 350 },
  { id: 'notebook', name: 'Notebook', note: 'Dotted paper, 160 pages', price: 980, hue: 262 },
  { id: 'bread-knife', name: 'Bread knife', note: 'Oak handle, 22 cm blade', price: 4150, hue: 12 },
  { id: 'watering-can', name: 'Watering can', note: 'Galvanised steel, 5 litres', price: 3650, hue: 150 },
  { id: 'tea-towel', name: 'Tea towel', note: 'Striped linen', price: 1400, hue: 225 },
];

/** The product with this id, or undefined. */
export function findProduct(id) {
  return catalogue.find((product) => product.id === id);
}

/** Cents as a person reads them: 3400 is "€34.00". */
export function formatPrice(cents) {
  return `€${(cents / 100).toFixed(2)}`;
}
