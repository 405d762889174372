import type { Row } from '../row.js';

const NEXT = '<title>next</title><p>done</p>';
const next = (script: string) => `<title>next</title><p id="out">next</p><script>${script}</script>`;
const DRAW = 'document.getElementById("out").append("done")';

export const NAVIGATION: readonly Row[] = [
  {
    name: 'a link',

    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link to a page that is answered after 400 ms',
    html: '<a id="to" href="next.html?after=400">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link to a page that is answered after 1,500 ms',
    html: '<a id="to" href="next.html?after=1500">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link to a page with a slow image',
    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: {
      'next.html': `<title>next</title><p>done</p><img alt="dot" src="dot.svg?after=700">`,
      'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    },
  },
  {
    name: 'a link to a page with a slow script that draws',
    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: {
      'next.html': `<title>next</title><p id="out">next</p><script defer src="late.js?after=800"></script>`,
      'late.js': DRAW,
    },
  },
  {
    name: 'a link to a page that draws as it is ready',
    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': next(`addEventListener("DOMContentLoaded", () => ${DRAW})`) },
  },
  {
    name: 'a link to a page that draws in a timer of 150 ms',

    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': next(`setTimeout(() => ${DRAW}, 150)`) },
  },
  {
    name: 'a link to a page that draws what it fetches',

    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': next(`fetch("data?after=150").then(() => ${DRAW})`) },
  },
  {
    name: 'a link to a page in parts',
    html: '<a id="to" href="next.html?chunks=3">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link to a page that goes on by script',
    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': next('location.replace("last.html")'), 'last.html': NEXT },
  },
  {
    name: 'a link to a page that goes on by a meta refresh',

    html: '<a id="to" href="next.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: {
      'next.html': '<title>next</title><meta http-equiv="refresh" content="0; url=last.html"><p>moved</p>',
      'last.html': NEXT,
    },
  },
  {
    name: 'a link that redirects three times',

    html: '<a id="to" href="a?to=b%3Fto%3Dc%253Fto%253Dnext.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link that redirects slowly',
    html: '<a id="to" href="a?after=300&to=b%3Fafter%3D400%26to%3Dnext.html">next</a>',
    action: ['browser_click', { target: '#to' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a link to an answer without content',
    html: '<a id="to" href="none?status=204&after=200" onclick="setTimeout(show, 300)">next</a>',
    action: ['browser_click', { target: '#to' }],
  },
  {
    name: 'a link that a script takes over',
    html: '<a id="to" href="next.html">next</a>',
    script:
      'element("to").onclick = (event) => { event.preventDefault(); fetched("part?after=200").then(show); };',
    action: ['browser_click', { target: '#to' }],
  },
  {
    name: 'a link to a place on the page',
    html: '<a id="to" href="#place">place</a>',
    script: 'addEventListener("hashchange", () => show(location.hash))',
    action: ['browser_click', { target: '#to' }],
    shows: '#place',
  },
  {
    name: 'a route by the hash that fetches',
    html: '<a id="to" href="#/orders">orders</a>',
    script: 'addEventListener("hashchange", async () => show(await fetched("orders?after=200")))',
    action: ['browser_click', { target: '#to' }],
  },
  {
    name: 'a form that gets',
    html: '<form action="next.html"><button id="send">Send</button></form>',
    action: ['browser_click', { target: '#send' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a form that posts',
    html: '<form method="post" action="next.html?after=200"><button id="send">Send</button></form>',
    action: ['browser_click', { target: '#send' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a form that posts and is redirected',
    html: '<form method="post" action="save?after=100&to=next.html&status=303"><button id="send">Send</button></form>',
    action: ['browser_click', { target: '#send' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'a form that a script sends after 200 ms',
    html: '<form id="form" action="next.html"></form>',
    script: 'onGo(() => setTimeout(() => element("form").submit(), 200))',
    files: { 'next.html': NEXT },
  },
  {
    name: 'location at once',
    script: 'onGo(() => { location.href = "next.html"; })',
    files: { 'next.html': NEXT },
  },
  {
    name: 'location after 50 ms',

    script: 'onGo(() => setTimeout(() => { location.href = "next.html"; }, 50))',
    files: { 'next.html': NEXT },
  },
  {
    name: 'location after 200 ms',

    script: 'onGo(() => setTimeout(() => { location.href = "next.html"; }, 200))',
    files: { 'next.html': NEXT },
  },
  {
    name: 'location after 450 ms',

    script: 'onGo(() => setTimeout(() => { location.href = "next.html"; }, 450))',
    files: { 'next.html': NEXT },
  },
  {
    name: 'location after a fetch of 700 ms',
    script: 'onGo(async () => { await fetched("login?after=700"); location.href = "next.html"; })',
    files: { 'next.html': NEXT },
  },
  {
    name: 'a meta refresh that the action adds',

    script:
      'onGo(() => { const meta = document.createElement("meta"); meta.httpEquiv = "refresh"; meta.content = "0; url=next.html"; document.head.append(meta); })',
    files: { 'next.html': NEXT },
  },
  {
    name: 'a reload',
    script:
      'if (sessionStorage.reloaded) show(); onGo(() => { sessionStorage.reloaded = true; location.reload(); })',
  },
  {
    name: 'pushState and a timer',

    script:
      'onGo(() => { history.pushState({}, "", "orders"); document.title = "orders"; setTimeout(show, 100); })',
  },
  {
    name: 'pushState after a fetch',
    script:
      'onGo(async () => { const text = await fetched("data?after=250"); history.pushState({}, "", "orders"); show(text); })',
    shows: '/orders',
  },
  {
    name: 'replaceState',
    script: 'onGo(() => history.replaceState({}, "", "orders"))',
    shows: '/orders',
  },
  {
    name: 'popstate by a script',

    script:
      'history.pushState({}, "", "second"); addEventListener("popstate", () => show()); onGo(() => history.back())',
  },
  {
    name: 'popstate by going back',
    script: 'addEventListener("popstate", () => show()); onGo(() => history.pushState({}, "", "second"))',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_navigate_back', {}],
  },
  {
    name: 'the Navigation API',
    script:
      'navigation.addEventListener("navigate", (event) => { if (event.canIntercept) event.intercept({ async handler() { show(await fetched("part?after=200")); } }); }); onGo(() => navigation.navigate("orders"))',
    shows: 'done',
  },
  {
    name: 'a page that is written anew',
    script:
      'onGo(() => setTimeout(() => { document.open(); document.write("<title>anew</title><p>done</p>"); document.close(); }, 100))',
  },
  {
    name: 'browser_navigate to a small page',
    action: ['browser_navigate', { url: 'next.html' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'browser_navigate to a slow page',
    action: ['browser_navigate', { url: 'next.html?after=800' }],
    files: { 'next.html': NEXT },
  },
  {
    name: 'browser_navigate to a page that draws as it loads',

    action: ['browser_navigate', { url: 'next.html' }],
    files: { 'next.html': next(`addEventListener("load", () => ${DRAW})`) },
  },
  { name: 'browser_navigate to a text', action: ['browser_navigate', { url: 'plain' }] },
  {
    name: 'browser_navigate_back',

    html: '<p>done</p>',
    files: { 'next.html': '<title>next</title><p>next</p>' },
    first: [['browser_navigate', { url: 'next.html' }]],
    action: ['browser_navigate_back', {}],
  },
];
