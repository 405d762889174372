import type { Row } from '../row.js';

const add = (source: string) =>
  `{ const frame = document.createElement("iframe"); frame.src = "${source}"; document.body.append(frame); }`;
const FRAME = '<p>done in the frame</p>';
const shows = 'done in the frame';

export const FRAMES: readonly Row[] = [
  {
    name: 'a frame that loads',

    files: { 'frame.html': FRAME },
    script: `onGo(() => ${add('frame.html')})`,
    shows,
  },
  {
    name: 'a frame that is answered after 400 ms',
    files: { 'frame.html': FRAME },
    script: `onGo(() => ${add('frame.html?after=400')})`,
    shows,
  },
  {
    name: 'a frame that comes after 200 ms',

    files: { 'frame.html': FRAME },
    script: `onGo(() => setTimeout(() => ${add('frame.html?after=100')}, 200))`,
    shows,
  },
  {
    name: 'a frame with a timer of its own',
    files: { 'frame.html': '<p id="p">frame</p><script>setTimeout(() => p.append(" done"), 250)</script>' },
    script: `onGo(() => ${add('frame.html')})`,
    shows: 'frame done',
  },
  {
    name: 'a frame that fetches',
    files: {
      'frame.html':
        '<p id="p">frame</p><script>fetch("data?after=250").then(() => p.append(" done"))</script>',
    },
    script: `onGo(() => ${add('frame.html')})`,
    shows: 'frame done',
  },
  {
    name: 'a frame in a frame',
    files: { 'frame.html': '<iframe src="inner.html?after=100"></iframe>', 'inner.html': FRAME },
    script: `onGo(() => ${add('frame.html?after=100')})`,
    shows,
  },
  {
    name: 'a frame from a text',
    script:
      'onGo(() => { const frame = document.createElement("iframe"); frame.srcdoc = "<p>done in the frame</p>"; document.body.append(frame); })',
    shows,
  },
  {
    name: 'a frame that tells when it has loaded',
    files: { 'frame.html': FRAME },
    script:
      'onGo(() => { const frame = document.createElement("iframe"); frame.onload = () => show("loaded"); frame.src = "frame.html?after=300"; document.body.append(frame); })',
    shows: 'loaded',
  },
  {
    name: 'a frame of another origin that answers',

    files: {
      'frame.html':
        '<p>other</p><script>onmessage = ({ source, data }) => setTimeout(() => source.postMessage(data, "*"), 150)</script>',
    },
    html: '<iframe id="frame"></iframe>',
    script:
      'element("frame").src = location.href.replace("127.0.0.1", "localhost") + "frame.html"; addEventListener("message", ({ data }) => show(data)); onGo(() => frames[0].postMessage("done", "*"))',
  },
  {
    name: 'a frame of another origin that is added',
    files: { 'frame.html': '<p id="p">other</p><script>setTimeout(() => p.append(" done"), 150)</script>' },
    script:
      'onGo(() => { const frame = document.createElement("iframe"); frame.src = location.href.replace("127.0.0.1", "localhost") + "frame.html"; document.body.append(frame); })',
    shows: 'other done',
  },
  {
    name: 'a sandboxed frame',
    files: { 'frame.html': '<p id="p">boxed</p><script>setTimeout(() => p.append(" done"), 100)</script>' },
    html: '<iframe id="frame" sandbox="allow-scripts"></iframe>',
    script: 'onGo(() => { element("frame").src = "frame.html"; })',
    shows: 'boxed done',
  },
  {
    name: 'a link into a frame',
    files: { 'frame.html': FRAME },
    html: '<a id="to" target="inner" href="frame.html?after=200">into</a><iframe name="inner"></iframe>',
    action: ['browser_click', { target: '#to' }],
    shows,
  },
  {
    name: 'a frame that a script leads on',
    files: { 'frame.html': '<p>first</p>', 'next.html': FRAME },
    html: '<iframe src="frame.html"></iframe>',
    script: 'onGo(() => setTimeout(() => { frames[0].location.href = "next.html?after=100"; }, 150))',
    shows,
  },
  {
    name: 'a frame whose own button is pressed',

    html: `<iframe srcdoc="<button id='inner' onclick='setTimeout(() => parent.show(), 200)'>Inner</button>"></iframe>`,
    script: 'window.show = show;',
    action: ['browser_click', { target: 'iframe >> internal:control=enter-frame >> #inner' }],
  },
];
