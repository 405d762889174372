import type { Row } from '../row.js';

/** Pages that never rest. They count in `pulses`. */
export const ENDLESS: readonly Row[] = [
  {
    name: 'a fetch every 100 ms for ever',

    script: 'setInterval(() => { pulses++; fetch("poll"); }, 100); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a fetch behind each fetch for ever',
    script:
      'const poll = async () => { for (;;) { await fetch("poll?after=20"); pulses++; } }; poll(); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'requests for ever, begun by the action',

    script: 'onGo(async () => { show(); for (;;) { await fetch("poll?after=40"); pulses++; } })',
    endless: true,
  },
  {
    name: 'a long poll that is opened anew',
    script:
      'const poll = async () => { for (;;) { await fetch("poll?after=700"); pulses++; } }; poll(); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a timer every 100 ms for ever',
    script: 'setInterval(() => { pulses++; }, 100); onGo(() => setTimeout(show, 250))',
    endless: true,
  },
  {
    name: 'a timer every 10 ms for ever',
    script: 'setInterval(() => { pulses++; }, 10); onGo(() => setTimeout(show, 250))',
    endless: true,
  },
  {
    name: 'a timer that sets itself again for ever',
    script:
      'const again = () => { pulses++; setTimeout(again, 50); }; again(); onGo(() => setTimeout(show, 250))',
    endless: true,
  },
  {
    name: 'an EventSource with messages',

    script:
      'new EventSource("stream?events=100").onmessage = () => { pulses++; }; onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a WebSocket with messages',

    script:
      'new WebSocket(location.href.replace("http", "ws") + "socket?events=100").onmessage = () => { pulses++; }; onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a message of a WebSocket draws what the action left',
    script:
      'let left; new WebSocket(location.href.replace("http", "ws") + "socket?events=100").onmessage = () => { pulses++; if (left) show(left); left = undefined; }; onGo(() => { left = "done"; })',
    endless: true,
  },
  {
    name: 'animation frames for ever',
    script:
      'const draw = () => { pulses++; requestAnimationFrame(draw); }; draw(); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'an animation for ever',

    html: '<style>@keyframes turn { to { transform: rotate(1turn) } } #box { width: 9px; animation: turn 300ms infinite }</style><p id="box">x</p>',
    script:
      'element("box").addEventListener("animationiteration", () => { pulses++; }); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'changes of the page for ever',
    html: '<p id="clock"></p>',
    script:
      'setInterval(() => { element("clock").dataset.pulses = ++pulses; }, 30); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'messages through a MessageChannel for ever',
    script:
      'const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { pulses += 0.001; setTimeout(() => port2.postMessage(0), 1); }; port2.postMessage(0); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a worker that sends for ever',

    files: { 'worker.js': 'setInterval(() => postMessage(0), 50)' },
    script: 'new Worker("worker.js").onmessage = () => { pulses++; }; onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a stream without an end',
    script:
      'onGo(async () => { for await (const part of (await fetch("stream?events=100")).body) { pulses++; if (pulses === 2) show(); } })',
    endless: true,
  },
  {
    name: 'idle callbacks for ever',
    script:
      'const idle = () => { pulses += 0.01; requestIdleCallback(idle); }; idle(); onGo(() => setTimeout(show, 200))',
    endless: true,
  },
  {
    name: 'a frame that reloads for ever',
    html: '<iframe aria-hidden="true" src="frame.html"></iframe>',
    files: { 'frame.html': '<script>parent.pulses++; setTimeout(() => location.reload(), 150)</script>' },
    script: 'onGo(() => setTimeout(show, 200))',
    endless: true,
  },
];
