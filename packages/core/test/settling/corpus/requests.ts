import type { Row } from '../row.js';

const fetchAfter = (ms: number) => `onGo(async () => show(await fetched("data?after=${ms}")))`;

export const REQUESTS: readonly Row[] = [
  { name: 'fetch answered at once', script: fetchAfter(0) },
  { name: 'fetch answered after 100 ms', script: fetchAfter(100) },
  { name: 'fetch answered after 400 ms', script: fetchAfter(400) },
  { name: 'fetch answered after 900 ms', script: fetchAfter(900) },
  { name: 'fetch answered after 3,000 ms', script: fetchAfter(3000) },
  {
    name: 'three fetches, one after the other',
    script: 'onGo(async () => { for (let i = 0; i < 3; i++) await fetched("data?after=50"); show(); })',
  },
  {
    name: 'three slow fetches, one after the other',

    script: 'onGo(async () => { for (let i = 0; i < 3; i++) await fetched("data?after=200"); show(); })',
  },
  {
    name: 'two fetches side by side',
    script:
      'onGo(() => { for (const ms of [100, 700]) fetched("data?after=" + ms).then(() => show("after " + ms)); })',
    shows: 'after 700',
  },
  {
    name: 'fetch after a timer of 200 ms',
    script: 'onGo(async () => { await pause(200); show(await fetched("data?after=300")); })',
  },
  {
    name: 'fetch after a timer of 450 ms',

    script: 'onGo(async () => { await pause(450); show(await fetched("data?after=200")); })',
  },
  {
    name: 'a timer of 300 ms after a fetch',
    script: 'onGo(async () => { await fetched("data?after=100"); await pause(300); show(); })',
  },
  {
    name: 'a timer of 300 ms after a slow fetch',

    script: 'onGo(async () => { await fetched("data?after=900"); await pause(300); show(); })',
  },
  {
    name: 'fetch, timer, fetch',
    script:
      'onGo(async () => { await fetched("data?after=100"); await pause(100); show(await fetched("data?after=100")); })',
  },
  {
    name: 'fetch that is aborted after 100 ms',
    script:
      'onGo(() => { fetch("data?after=5000", { signal: AbortSignal.timeout(100) }).catch((error) => show(error.name)); })',
    shows: 'TimeoutError',
  },
  {
    name: 'fetch that fails',

    script: 'onGo(() => { fetch("data?lost").catch(() => show()); })',
  },
  {
    name: 'fetch answered with 404, then another',
    script:
      'onGo(async () => { if (!(await fetch("data?status=404&after=100")).ok) show(await fetched("other?after=100")); })',
  },
  {
    name: 'fetch that posts',
    script: 'onGo(async () => show(await fetched("data?after=150", { method: "POST", body: "{}" })))',
  },
  {
    name: 'fetch of another origin, asked for leave first',
    script:
      'onGo(async () => show(await fetched(location.href.replace("127.0.0.1", "localhost") + "data?after=100", { headers: { "x-own": "1" } })))',
  },
  {
    name: 'fetch whose body comes 600 ms after its head',
    script: 'onGo(async () => show(await fetched("data?body=600")))',
  },
  {
    name: 'fetch whose body comes in parts',

    files: { 'text.txt': 'one two three four done' },
    script:
      'onGo(async () => { let text = ""; for await (const part of (await fetch("text.txt?chunks=4")).body.pipeThrough(new TextDecoderStream())) text += part; show(text); })',
  },
  {
    name: 'fetch redirected three times',
    script: 'onGo(async () => show(await fetched("a?to=b%3Fto%3Dc%253Fto%253Dd")))',
  },
  {
    name: 'fetch with json and a list',
    files: { 'list.json': '["one","two","done"]' },
    script:
      'onGo(async () => { for (const item of await (await fetch("list.json?after=120")).json()) show(item); })',
  },
  {
    name: 'XMLHttpRequest answered after 100 ms',
    script:
      'onGo(() => { const request = new XMLHttpRequest(); request.onload = () => show(request.responseText); request.open("GET", "data?after=100"); request.send(); })',
  },
  {
    name: 'XMLHttpRequest answered after 900 ms',
    script:
      'onGo(() => { const request = new XMLHttpRequest(); request.onload = () => show(request.responseText); request.open("GET", "data?after=900"); request.send(); })',
  },
  {
    name: 'XMLHttpRequest that is not asynchronous',
    script:
      'onGo(() => { const request = new XMLHttpRequest(); request.open("GET", "data?after=300", false); request.send(); show(request.responseText); })',
  },
  {
    name: 'XMLHttpRequest that times out',
    script:
      'onGo(() => { const request = new XMLHttpRequest(); request.timeout = 150; request.ontimeout = () => show(); request.open("GET", "data?after=5000"); request.send(); })',
  },
  {
    name: 'a beacon that nobody answers soon',
    script: 'onGo(() => { navigator.sendBeacon("beacon?after=300"); setTimeout(show, 100); })',
  },
  {
    name: 'an image that loads late',

    files: { 'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' },
    script:
      'onGo(() => { const image = new Image(); image.onload = () => show(); image.src = "dot.svg?after=300"; })',
  },
  {
    name: 'an image that fails',
    script:
      'onGo(() => { const image = new Image(); image.onerror = () => show(); image.src = "dot.svg?after=200&status=404"; element("out").append(image); })',
  },
  {
    name: 'an image that is decoded',
    files: { 'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' },
    script:
      'onGo(async () => { const image = new Image(); image.src = "dot.svg?after=100"; await image.decode(); show(); })',
  },
  {
    name: 'a script that loads late',

    files: { 'late.js': 'show()' },
    script:
      'onGo(() => { const script = document.createElement("script"); script.src = "late.js?after=200"; document.body.append(script); })',
  },
  {
    name: 'a script that loads after 800 ms, then a timer',
    files: { 'late.js': 'setTimeout(show, 200)' },
    script:
      'onGo(() => { const script = document.createElement("script"); script.src = "late.js?after=800"; document.body.append(script); })',
  },
  {
    name: 'a style sheet that loads late',
    files: { 'late.css': '#hidden { display: block !important }' },
    html: '<p id="hidden" style="display:none">styled</p>',
    script:
      'onGo(() => { const link = document.createElement("link"); link.rel = "stylesheet"; link.href = "late.css?after=300"; link.onload = () => show(); document.head.append(link); })',
    shows: 'styled',
  },
  {
    name: 'an import',
    files: { 'part.js': 'export const text = "done";' },
    script: 'onGo(async () => show((await import("./part.js?after=200")).text))',
  },
  {
    name: 'an import that imports',

    files: {
      'part.js': 'export { text } from "./other.js?after=150";',
      'other.js': 'export const text = "done";',
    },
    script: 'onGo(async () => show((await import("./part.js?after=150")).text))',
  },
  {
    name: 'JSONP',
    files: { 'call.js': 'answer("done")' },
    script:
      'window.answer = show; onGo(() => { const script = document.createElement("script"); script.src = "call.js?after=150"; document.head.append(script); })',
  },
  {
    name: 'an event from an EventSource',

    script:
      'onGo(() => { const events = new EventSource("stream?events=150"); events.onmessage = ({ data }) => { if (data === "beat") { show(); events.close(); } }; })',
  },
  {
    name: 'an answer over a WebSocket',

    script:
      'const socket = new WebSocket(location.href.replace("http", "ws") + "socket?after=200"); socket.onmessage = () => show(); onGo(() => socket.send("hello"))',
  },
  {
    name: 'a WebSocket that is opened by the action',
    script:
      'onGo(() => { const socket = new WebSocket(location.href.replace("http", "ws") + "socket?after=100"); socket.onopen = () => socket.send("hello"); socket.onmessage = () => { show(); socket.close(); }; })',
  },
  {
    name: 'a request that is not answered',

    script: 'onGo(() => { fetch("data?never"); setTimeout(show, 100); })',
  },
];
