import type { Row } from '../row.js';

const BOX = '<div id="box" style="width: 50px; height: 50px; transition: width 200ms">box</div>';
const frames = (count: number) =>
  `onGo(() => { let n = 0; const draw = () => { if (++n === ${count}) show(); else requestAnimationFrame(draw); }; requestAnimationFrame(draw); })`;

export const RENDERING: readonly Row[] = [
  { name: 'one animation frame', script: frames(1) },
  { name: 'ten animation frames, one after the other', script: frames(10) },
  {
    name: 'animation frames for 300 ms',

    script:
      'onGo(() => { const end = performance.now() + 300; const draw = () => performance.now() < end ? requestAnimationFrame(draw) : show(); draw(); })',
  },
  {
    name: 'an animation frame, then a timer',
    script: 'onGo(() => requestAnimationFrame(() => setTimeout(show, 150)))',
  },
  {
    name: 'transitionend',

    html: BOX,
    script:
      'onGo(() => { element("box").addEventListener("transitionend", () => show()); element("box").style.width = "90px"; })',
  },
  {
    name: 'two transitions, one after the other',

    html: BOX,
    script:
      'onGo(() => { const box = element("box"); box.addEventListener("transitionend", () => { box.addEventListener("transitionend", () => show()); box.style.width = "50px"; }, { once: true }); box.style.width = "90px"; })',
  },
  {
    name: 'a transition with a delay',
    html: BOX,
    script:
      'onGo(() => { const { style } = element("box"); style.transitionDelay = "150ms"; element("box").addEventListener("transitionend", () => show()); style.width = "90px"; })',
  },
  {
    name: 'a panel that fades away and is removed',
    html: '<div id="panel" style="transition: opacity 250ms">panel</div>',
    script:
      'onGo(() => { element("panel").addEventListener("transitionend", () => { element("panel").remove(); show(); }); element("panel").style.opacity = 0; })',
  },
  {
    name: 'animationend',
    html: '<style>@keyframes in { from { opacity: 0 } } .in { animation: in 300ms }</style><p id="box">box</p>',
    script:
      'onGo(() => { element("box").addEventListener("animationend", () => show()); element("box").className = "in"; })',
  },
  {
    name: 'an animation that reveals',
    html: '<style>@keyframes reveal { from { visibility: hidden } 99% { visibility: hidden } to { visibility: visible } } #box { visibility: hidden } #box.in { animation: reveal 300ms forwards }</style><p id="box">revealed</p>',
    script: 'onGo(() => { element("box").className = "in"; })',
    shows: 'revealed',
  },
  {
    name: 'a transition that reveals',
    html: '<style>#box { visibility: hidden; transition: visibility 0s 300ms } #box.in { visibility: visible }</style><p id="box">revealed</p>',
    script: 'onGo(() => { element("box").className = "in"; })',
    shows: 'revealed',
  },
  {
    name: 'element.animate and its promise',

    html: BOX,
    script:
      'onGo(async () => { await element("box").animate([{ opacity: 0 }, { opacity: 1 }], 250).finished; show(); })',
  },
  {
    name: 'element.animate and onfinish, twice',
    html: BOX,
    script:
      'onGo(() => { const fade = () => element("box").animate([{ opacity: 0 }, { opacity: 1 }], 120); fade().onfinish = () => { fade().onfinish = () => show(); }; })',
  },
  { name: 'a view transition', script: 'onGo(() => { document.startViewTransition(() => show()); })' },
  {
    name: 'a ResizeObserver',
    html: BOX,
    script:
      'new ResizeObserver(([{ contentRect }]) => { if (contentRect.height > 60) show(); }).observe(element("box")); onGo(() => { element("box").style.height = "70px"; })',
  },
  {
    name: 'an IntersectionObserver that loads more',
    html: '<div style="height: 3000px">tall</div><p id="end">end</p>',
    script:
      'new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) fetched("more?after=150").then(show); }).observe(element("end")); onGo(() => element("end").scrollIntoView())',
  },
  {
    name: 'a smooth scroll and scrollend',
    html: '<div style="height: 1200px">tall</div><p id="end">end</p>',
    script:
      'document.addEventListener("scrollend", () => show()); onGo(() => scrollTo({ top: 200, behavior: "instant" }))',
  },
  {
    name: 'a cascade of MutationObservers',

    script:
      'for (let step = 0; step < 5; step++) new MutationObserver(() => { const { dataset } = document.body; if (Number(dataset.step) === step) dataset.step = step + 1; if (step === 4 && dataset.step === "5") { dataset.step = "over"; show(); } }).observe(document.body, { attributes: true, attributeFilter: ["data-step"] }); onGo(() => { document.body.dataset.step = 0; })',
  },
  {
    name: 'a MutationObserver that fetches',
    script:
      'new MutationObserver((_, observer) => { observer.disconnect(); fetched("data?after=200").then(show); }).observe(element("out"), { childList: true }); onGo(() => show("first"))',
  },
  {
    name: 'a MutationObserver and a timer, three times',
    script:
      'let rounds = 0; new MutationObserver(() => { if (++rounds < 4) setTimeout(show, 90, rounds === 3 ? "done" : "round " + rounds); }).observe(element("out"), { childList: true }); onGo(() => show("round 0"))',
  },
  {
    name: 'details that load what they show',
    html: '<details id="more"><summary id="summary">More</summary><p>more</p></details>',
    script: 'element("more").ontoggle = () => fetched("more?after=100").then(show);',
    action: ['browser_click', { target: '#summary' }],
  },
  {
    name: 'a dialog element',
    html: '<dialog id="dialog"><p>asked</p><button>Yes</button></dialog>',
    script: 'onGo(() => setTimeout(() => element("dialog").showModal(), 150))',
    shows: 'asked',
  },
  {
    name: 'a popover',
    html: '<button id="opens" popovertarget="pop">Open</button><div id="pop" popover>popped</div>',
    script: 'element("pop").addEventListener("toggle", () => setTimeout(show, 50));',
    action: ['browser_click', { target: '#opens' }],
  },
];
