import type { Row } from '../row.js';

const echo = (ms: number) => `onmessage = ({ data }) => setTimeout(() => postMessage(data), ${ms});`;
const ask =
  'const worker = new Worker("worker.js"); worker.onmessage = ({ data }) => show(data); onGo(() => worker.postMessage("done"))';
const SERVICE = `
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    if (event.request.url.includes("served")) event.respondWith(new Promise((resolve) => setTimeout(() => resolve(new Response("done by the service worker")), 150)));
  });`;

export const WORKERS: readonly Row[] = [
  { name: 'a worker that answers at once', files: { 'worker.js': echo(0) }, script: ask },
  { name: 'a worker that answers after 50 ms', files: { 'worker.js': echo(50) }, script: ask },
  {
    name: 'a worker that answers after 300 ms',

    files: { 'worker.js': echo(300) },
    script: ask,
  },
  {
    name: 'a worker that computes for 250 ms',
    files: {
      'worker.js':
        'onmessage = () => { const end = performance.now() + 250; while (performance.now() < end); postMessage("done"); };',
    },
    script: ask,
  },
  {
    name: 'a worker that fetches',
    files: {
      'worker.js': 'onmessage = async () => postMessage(await (await fetch("data?after=200")).text());',
    },
    script: ask,
  },
  {
    name: 'a worker that the action starts',
    files: { 'worker.js': 'setTimeout(() => postMessage("done"), 100)' },
    script: 'onGo(() => { new Worker("worker.js").onmessage = ({ data }) => show(data); })',
  },
  {
    name: 'a worker from a blob',
    script:
      'onGo(() => { const source = new Blob(["setTimeout(() => postMessage(\'done\'), 100)"]); new Worker(URL.createObjectURL(source)).onmessage = ({ data }) => show(data); })',
  },
  {
    name: 'a worker that is a module',
    files: {
      'worker.js': 'import { text } from "./part.js"; postMessage(text);',
      'part.js': 'export const text = "done";',
    },
    script:
      'onGo(() => { new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => show(data); })',
  },
  {
    name: 'a worker and a channel',
    files: {
      'worker.js':
        'onmessage = ({ ports: [port] }) => { port.onmessage = ({ data }) => setTimeout(() => port.postMessage(data), 120); };',
    },
    script:
      'const worker = new Worker("worker.js"); const { port1, port2 } = new MessageChannel(); worker.postMessage("", [port2]); port1.onmessage = ({ data }) => show(data); onGo(() => port1.postMessage("done"))',
  },
  {
    name: 'a worker that asks back five times',
    files: { 'worker.js': 'onmessage = ({ data }) => postMessage(data + 1);' },
    script:
      'const worker = new Worker("worker.js"); worker.onmessage = async ({ data }) => { if (data === 5) return show(); await pause(40); worker.postMessage(data); }; onGo(() => worker.postMessage(0))',
  },
  {
    name: 'a SharedWorker that answers after 150 ms',

    files: {
      'shared.js':
        'onconnect = ({ ports: [port] }) => { port.onmessage = ({ data }) => setTimeout(() => port.postMessage(data), 150); };',
    },
    script:
      'const { port } = new SharedWorker("shared.js"); port.onmessage = ({ data }) => show(data); onGo(() => port.postMessage("done"))',
  },
  {
    name: 'a service worker that answers a fetch',

    files: { 'service.js': SERVICE },
    script:
      'const ready = navigator.serviceWorker.register("service.js").then(() => navigator.serviceWorker.ready); ready.then(() => pause(100)).then(() => show("ready")); onGo(async () => { await ready; show(await fetched("served")); })',
    first: [['browser_wait_for', { text: 'ready' }]],
    shows: 'done by the service worker',
  },
];
