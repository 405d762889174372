import type { Row } from '../row.js';

export const QUEUES: readonly Row[] = [
  {
    name: 'a hundred promises, one after the other',

    script: 'onGo(async () => { for (let i = 0; i < 100; i++) await null; show(); })',
  },
  { name: 'queueMicrotask', script: 'onGo(() => queueMicrotask(() => queueMicrotask(() => show())))' },
  {
    name: 'fifty messages through a MessageChannel',

    script:
      'onGo(() => { const { port1, port2 } = new MessageChannel(); let n = 0; port1.onmessage = () => { if (++n === 50) show(); else port2.postMessage(n); }; port2.postMessage(0); })',
  },
  {
    name: 'a MessageChannel for 200 ms',
    script:
      'onGo(() => { const end = performance.now() + 200; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => performance.now() < end ? port2.postMessage(0) : show(); port2.postMessage(0); })',
  },
  {
    name: 'thirty messages to the window itself',
    script:
      'let n = 0; addEventListener("message", () => { if (++n === 30) show(); else postMessage(n, "*"); }); onGo(() => postMessage(0, "*"))',
  },
  { name: 'requestIdleCallback', script: 'onGo(() => requestIdleCallback(() => show()))' },
  {
    name: 'two idle callbacks, one after the other',
    script:
      'onGo(() => requestIdleCallback(() => requestIdleCallback(() => show(), { timeout: 100 }), { timeout: 100 }))',
  },
  {
    name: 'requestIdleCallback in a timer',
    script: 'onGo(() => setTimeout(() => requestIdleCallback(() => show(), { timeout: 100 }), 100))',
  },
  {
    name: 'scheduler.postTask',
    script: 'onGo(() => scheduler.postTask(() => show(), { priority: "background" }))',
  },
  {
    name: 'scheduler.postTask after 200 ms',
    untraceable: true,
    script: 'onGo(() => scheduler.postTask(() => show(), { delay: 200 }))',
  },
  {
    name: 'scheduler.yield, twenty times',
    script: 'onGo(async () => { for (let i = 0; i < 20; i++) await scheduler.yield(); show(); })',
  },
  {
    name: 'a BroadcastChannel',
    script:
      'const a = new BroadcastChannel("row"); const b = new BroadcastChannel("row"); b.onmessage = () => show(); onGo(() => a.postMessage("hello"))',
  },
  {
    name: 'a storage event from a frame',
    html: '<iframe src="frame.html"></iframe>',
    files: { 'frame.html': '<p>frame</p>' },
    script:
      'addEventListener("storage", () => show()); onGo(() => { frames[0].localStorage.setItem("said", performance.now()); })',
  },
  {
    name: 'IndexedDB: open, put, get',

    script:
      'onGo(() => { const open = indexedDB.open("row"); open.onupgradeneeded = () => open.result.createObjectStore("all"); open.onsuccess = () => { const all = open.result.transaction("all", "readwrite").objectStore("all"); all.put("done", 1).onsuccess = () => { all.get(1).onsuccess = ({ target }) => show(target.result); }; }; })',
  },
  {
    name: 'IndexedDB: thirty writes, one after the other',
    script:
      'onGo(() => { const open = indexedDB.open("rows"); open.onupgradeneeded = () => open.result.createObjectStore("all"); open.onsuccess = async () => { for (let i = 0; i < 30; i++) await new Promise((resolve) => { const write = open.result.transaction("all", "readwrite"); write.objectStore("all").put(i, i); write.oncomplete = resolve; }); show(); }; })',
  },
  {
    name: 'IndexedDB: thirty reads of what is stored, one after the other',
    untraceable: true,
    script:
      'const open = indexedDB.open("reads"); open.onupgradeneeded = () => open.result.createObjectStore("all").put("done", 1); onGo(async () => { let text; for (let i = 0; i < 30; i++) text = await new Promise((resolve) => { const read = open.result.transaction("all").objectStore("all").get(1); read.onsuccess = () => resolve(read.result); }); show(text); })',
  },
  {
    name: 'IndexedDB: a cursor over two hundred rows',
    untraceable: true,
    script:
      'const open = indexedDB.open("rows-of-200"); open.onupgradeneeded = () => { const all = open.result.createObjectStore("all"); for (let i = 0; i < 200; i++) all.put(i, i); }; onGo(() => { const walk = open.result.transaction("all").objectStore("all").openCursor(); walk.onsuccess = () => { if (walk.result) walk.result.continue(); else show(); }; })',
  },
  {
    name: 'IndexedDB: a database opened again, and read',
    script:
      'const made = indexedDB.open("again"); made.onupgradeneeded = () => made.result.createObjectStore("all").put("done", 1); made.onsuccess = () => made.result.close(); onGo(() => { const open = indexedDB.open("again"); open.onsuccess = () => { open.result.transaction("all").objectStore("all").get(1).onsuccess = ({ target }) => show(target.result); }; })',
  },
  {
    name: 'caches',
    script:
      'onGo(async () => { const cache = await caches.open("row"); await cache.put("x", new Response("done")); show(await (await cache.match("x")).text()); })',
  },
  {
    name: 'a lock that is waited for',
    script:
      'onGo(() => { navigator.locks.request("row", () => pause(200)); navigator.locks.request("row", () => show()); })',
  },
  {
    name: 'crypto',
    script:
      'onGo(async () => { let data = new Uint8Array(1e6); for (let i = 0; i < 5; i++) data = await crypto.subtle.digest("SHA-512", data); show(); })',
  },
  {
    name: 'a key derived in some 200 ms',
    untraceable: true,
    script:
      'onGo(async () => { const key = await crypto.subtle.importKey("raw", new Uint8Array(16), "PBKDF2", false, ["deriveBits"]); await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(16), iterations: 1e6 }, key, 256); show(); })',
  },
  {
    name: 'a compressed stream',
    script:
      'onGo(async () => show(await new Response(new Blob(["done"]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"))).text()))',
  },
  {
    name: 'a FileReader',
    script:
      'onGo(() => { const reader = new FileReader(); reader.onload = () => show(reader.result); reader.readAsText(new Blob(["done"])); })',
  },
  {
    name: 'a canvas made a bitmap',
    script:
      'onGo(async () => { const canvas = document.createElement("canvas"); canvas.width = canvas.height = 500; await createImageBitmap(canvas); show(); })',
  },
  {
    name: 'a script for WebAssembly',
    script:
      'onGo(async () => { await WebAssembly.instantiate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); show(); })',
  },
  {
    name: 'a stream that a timer feeds',
    script:
      'onGo(async () => { const stream = new ReadableStream({ async pull(to) { await pause(80); to.enqueue("part"); if (++this.sent === 4) to.close(); }, sent: 0 }); for await (const part of stream) show(part); show(); })',
  },
  {
    name: 'permissions and storage',
    script:
      'onGo(async () => { await navigator.permissions.query({ name: "notifications" }); await navigator.storage.estimate(); show(); })',
  },
];
