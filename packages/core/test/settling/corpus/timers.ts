import type { Row } from '../row.js';

export const TIMERS: readonly Row[] = [
  { name: 'at once', script: 'onGo(() => show())' },
  { name: 'setTimeout of 0 ms', script: 'onGo(() => setTimeout(show, 0))' },
  { name: 'setTimeout of 50 ms', script: 'onGo(() => setTimeout(show, 50))' },
  { name: 'setTimeout of 200 ms', script: 'onGo(() => setTimeout(show, 200))' },
  { name: 'setTimeout of 450 ms', script: 'onGo(() => setTimeout(show, 450))' },
  {
    name: 'setTimeout of 2,000 ms',

    script: 'onGo(() => { show(); setTimeout(show, 2000, "late"); })',
    lacks: 'late',
  },
  {
    name: 'four timers of 100 ms, one after the other',

    script: 'onGo(async () => { for (let i = 0; i < 4; i++) await pause(100); show(); })',
  },
  {
    name: 'twenty timers of 0 ms, one after the other',

    script: 'onGo(async () => { for (let i = 0; i < 20; i++) await pause(0); show(); })',
  },
  {
    name: 'a timer of 200 ms that starts one of 200',
    script: 'onGo(() => setTimeout(() => setTimeout(show, 200), 200))',
  },
  {
    name: 'timers of 50, 150 and 400 ms side by side',
    script: 'onGo(() => [50, 150, 400].forEach((ms) => setTimeout(show, ms, "after " + ms)))',
    shows: 'after 400',
  },
  {
    name: 'an interval that ends after three rounds',
    script:
      'onGo(() => { let n = 0; const timer = setInterval(() => { if (++n < 3) return; clearInterval(timer); show(); }, 100); })',
  },
  { name: 'a timer with code as text', script: 'onGo(() => setTimeout("show()", 100))' },
  {
    name: 'a timer with arguments',
    script: 'onGo(() => setTimeout(show, 100, "done with arguments"))',
    shows: 'done with arguments',
  },
  {
    name: 'a timer that is cleared and set again',
    script:
      'onGo(() => { const timer = setTimeout(show, 300, "cleared"); setTimeout(() => { clearTimeout(timer); setTimeout(show, 150); }, 100); })',
    lacks: 'cleared',
  },
  {
    name: 'a timer of half a minute from before',

    script: 'setTimeout(show, 30000, "signed out"); onGo(() => setTimeout(show, 50))',
    lacks: 'signed out',
  },
  {
    name: 'an interval from before draws what the action left',
    untraceable: true,
    script:
      'let left; setInterval(() => { if (left) show(left); left = undefined; }, 150); onGo(() => { left = "done"; })',
  },
  {
    name: 'an interval of 400 ms from before draws what the action left',
    untraceable: true,
    script:
      'let left; setInterval(() => { if (left) show(left); left = undefined; }, 400); onGo(() => { left = "done"; })',
  },
  {
    name: 'a timer of another frame',

    html: '<iframe srcdoc="<p>frame</p>"></iframe>',
    script: 'onGo(() => frames[0].setTimeout(show, 250))',
  },
  {
    name: 'AbortSignal.timeout of 200 ms',
    untraceable: true,
    script: 'onGo(() => AbortSignal.timeout(200).addEventListener("abort", () => show()))',
  },
  {
    name: 'a title that changes after 200 ms',
    script: 'onGo(() => setTimeout(() => { document.title = "done"; }, 200))',
  },
  {
    name: 'text that comes word by word',
    script:
      'onGo(async () => { for (const word of ["one", "two", "three", "four", "done"]) { await pause(60); show(word); } })',
  },
  {
    name: 'a loading line that goes after 300 ms',
    html: '<p id="loading">loading</p>',
    script: 'onGo(() => setTimeout(() => { element("loading").remove(); show(); }, 300))',
    lacks: 'loading',
  },
  {
    name: 'a script that computes for 300 ms, later',
    script:
      'onGo(() => setTimeout(() => { const end = performance.now() + 300; while (performance.now() < end); show(); }, 100))',
  },
  {
    name: 'a handler that computes for 700 ms',
    script: 'onGo(() => { const end = performance.now() + 700; while (performance.now() < end); show(); })',
  },
];
