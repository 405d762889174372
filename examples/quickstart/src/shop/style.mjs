import { catalogue } from './catalogue.mjs';

const tiles = catalogue
  .map(
    ({ hue }) =>
      `.hue-${hue} { background: linear-gradient(150deg, hsl(${hue} 55% 90%), hsl(${hue} 42% 78%)); color: hsl(${hue} 45% 32%); }`,
  )
  .join('\n');

/** The shop's one style sheet. It uses fonts of the system and loads nothing. */
export const style = `
* { box-sizing: border-box; }
body { margin: 0; background: #f7f5f1; color: #26302e; font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; align-items: center; gap: 1.5rem; padding: 0.9rem 2.5rem; background: #fff; border-bottom: 1px solid #e4dfd6; }
header form { margin: 0; }
nav { display: flex; gap: 1.2rem; flex: 1; }
a { color: #1e6357; }
nav a, .brand { text-decoration: none; }
.brand { font: 700 1.35rem Georgia, serif; color: #26302e; }
.user { margin: 0; color: #5d6865; }
main { max-width: 68rem; margin: 2rem auto; padding: 0 2rem; }
h1 { margin: 0 0 1rem; font: 700 1.9rem/1.2 Georgia, serif; }
.card { max-width: 42rem; margin: 0 auto; padding: 2rem 2.25rem; background: #fff; border: 1px solid #e4dfd6; border-radius: 12px; box-shadow: 0 8px 24px #26302e12; }
.narrow { max-width: 24rem; margin-top: 4rem; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input { display: block; width: 100%; margin-top: 0.3rem; padding: 0.6rem 0.75rem; border: 1px solid #c9c3b7; border-radius: 8px; font: inherit; }
button { padding: 0.55rem 1rem; border: 1px solid #1e6357; border-radius: 8px; background: #1e6357; color: #fff; font: 600 0.95rem system-ui, sans-serif; cursor: pointer; }
button.quiet { background: none; color: #1e6357; padding: 0.3rem 0.8rem; }
:focus-visible { outline: 3px solid #e0a63c; outline-offset: 1px; }
[role='status'], [role='alert'] { padding: 0.6rem 1rem; border-radius: 8px; background: #e5f1ec; color: #1b5348; }
[role='alert'] { background: #fbe9e5; color: #8c2f1b; }
.catalogue { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1.25rem; margin: 0; padding: 0; list-style: none; }
.product { padding: 0.9rem; background: #fff; border: 1px solid #e4dfd6; border-radius: 12px; }
.product h2 { margin: 0.8rem 0 0; font-size: 1.05rem; }
.product p { margin: 0 0 0.8rem; color: #5d6865; font-size: 0.9rem; }
.product form { display: flex; justify-content: space-between; align-items: center; margin: 0; }
.price { font-weight: 600; }
.tile { display: grid; place-items: center; height: 7rem; border-radius: 8px; font: 700 3rem Georgia, serif; }
table { width: 100%; margin: 1rem 0 1.5rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding-bottom: 0.4rem; text-align: left; color: #5d6865; }
th, td { padding: 0.55rem 0.25rem; border-bottom: 1px solid #eee9e0; text-align: right; }
th:first-child { text-align: left; }
tbody th { font-weight: 400; }
tfoot th, tfoot td { border-bottom: 0; font-weight: 700; font-size: 1.1rem; }
article p { margin: 0; }
.thanks { color: #5d6865; }
${tiles}
`;
