import type { Row } from '../row.js';

const AFTER = 'onGo(() => setTimeout(show, 200))';
const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj trailer<</Root 1 0 R>>';
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FETCHED = 'onGo(async () => show(await fetched("data?after=200")))';

/** Pages on a bad day, and pages that would rather not be watched. */
export const HOSTILE: readonly Row[] = [
  {
    name: 'a page that replaces setTimeout',

    script: `const own = setTimeout; window.setTimeout = (work, ms, ...args) => own(() => work(...args), ms); ${AFTER}`,
  },
  {
    name: 'a page that takes setTimeout away',
    script:
      'onGo(() => { fetched("data?after=100").then(show); delete window.setTimeout; window.setTimeout = undefined; })',
  },
  {
    name: 'a page that replaces fetch',
    script: `const own = fetch; window.fetch = async (...args) => { await null; return own(...args); }; ${FETCHED}`,
  },
  {
    name: 'a page that stops Date',
    script: `Date.now = () => 0; performance.now = () => 0; window.Date = class { static now() { return 0; } }; ${AFTER}`,
  },
  {
    name: 'a page that replaces Promise',

    script: `window.Promise = class { then() { return this; } static resolve() { return new this(); } }; ${AFTER}`,
  },
  {
    name: 'a page that replaces requestAnimationFrame and MutationObserver',
    script: `window.requestAnimationFrame = () => 0; window.MutationObserver = function () { throw new Error("no"); }; ${AFTER}`,
  },
  {
    name: 'a page that freezes its prototypes',

    script: `for (const type of [Object, Function, Array, Promise, EventTarget, Node, Element, Window]) Object.freeze(type.prototype); ${AFTER}`,
  },
  {
    name: 'a page with a strict policy of content',

    headers: {
      'content-security-policy': "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'",
    },
    script: FETCHED,
  },
  {
    name: 'a page without scripts of its own',
    headers: { 'content-security-policy': "default-src 'none'" },
    html: '<details><summary id="more">more</summary>done</details>',
    action: ['browser_click', { target: '#more' }],
  },
  {
    name: 'a page that throws at each event',
    script: `addEventListener("click", () => { throw new Error("no"); }, true); ${AFTER}`,
  },
  {
    name: 'a page that opens a dialog in the middle of its work',

    script:
      'onGo(async () => { await fetched("data?after=100"); alert("done"); await fetched("data?after=100"); })',
  },
  {
    name: 'a page that closes itself',
    files: { 'pop.html': '<title>pop</title><button id="close" onclick="window.close()">Close</button>' },
    script: 'onGo(() => { open("pop.html"); }); show();',
    first: [
      ['browser_click', { target: '#go' }],
      ['browser_tabs', { action: 'select', index: 1 }],
    ],
    action: ['browser_click', { target: '#close' }],
  },
  {
    name: 'a page that leaves for about:blank',

    script: 'onGo(() => { location.href = "about:blank"; })',
    shows: 'about:blank',
  },
  {
    name: 'a link that is downloaded',
    html: '<a id="to" download href="data.bin">data</a>',
    script: 'element("to").addEventListener("click", () => setTimeout(show, 100));',
    action: ['browser_click', { target: '#to' }],
  },
  {
    name: 'a link to a server that cuts the connection',
    html: '<a id="to" href="data?lost">data</a>',
    action: ['browser_click', { target: '#to' }],
    shows: 'chrome-error://',
    // Its title before the error page has its own.
    lacks: 'Loading http',
  },
  {
    name: 'a page whose renderer ends',
    script: 'onGo(() => fetched("data?after=300").then(show))',
    crashes: true,
    shows: 'crashed',
  },
  {
    name: 'a page whose renderer ends while a timer is due',
    script: 'onGo(() => { fetch("data"); setTimeout(show, 400); })',
    crashes: true,
    shows: 'crashed',
  },
  {
    name: 'a page in an endless loop',
    script: 'onGo(() => { for (;;); })',
    shows: 'CALL_TIMEOUT',
  },
  {
    name: 'a link to a PDF',
    html: '<a id="to" href="file.pdf">file</a>',
    files: { 'file.pdf': PDF },
    action: ['browser_click', { target: '#to' }],
    shows: 'file.pdf',
  },
  {
    name: 'a key pressed in a PDF',
    files: { 'file.pdf': PDF },
    first: [['browser_navigate', { url: 'file.pdf' }]],
    action: ['browser_press_key', { key: 'PageDown' }],
    shows: 'file.pdf',
  },
  {
    name: 'a link to an image',
    html: '<a id="to" href="image.png?after=200">image</a>',
    files: { 'image.png': IMAGE },
    action: ['browser_click', { target: '#to' }],
    shows: 'image.png',
  },
  {
    name: 'browser_navigate to an image',
    files: { 'image.png': IMAGE },
    action: ['browser_navigate', { url: 'image.png' }],
    shows: 'image.png',
  },
];
