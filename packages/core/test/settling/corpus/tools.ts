import type { Row } from '../row.js';

const INPUT = '<label>Search <input id="field"></label>';
const DEBOUNCED = (ms: number, then: string) =>
  `let timer; element("field").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => ${then}, ${ms}); })`;
const CARD = '<div id="card" style="width: 90px; height: 40px">card</div>';

/** Through tools other than a click. */
export const TOOLS: readonly Row[] = [
  {
    name: 'typing, answered 300 ms later',
    html: INPUT,
    // The keys may come more than 300 ms apart on a busy machine.
    script: DEBOUNCED(300, 'element("out").textContent = "found " + element("field").value'),
    action: ['browser_type', { target: '#field', text: 'boots', slowly: true }],
    shows: 'found boots',
  },
  {
    name: 'typing, asked for 300 ms later',

    html: INPUT,
    script: DEBOUNCED(300, 'fetched("find?after=150").then(show)'),
    action: ['browser_type', { target: '#field', text: 'boots', slowly: true }],
  },
  {
    name: 'typing, asked for at each key',
    html: INPUT,
    script: DEBOUNCED(
      100,
      'fetched("find?after=100").then((text) => { element("out").textContent = text + " " + element("field").value; })',
    ),
    action: ['browser_type', { target: '#field', text: 'abc', slowly: true }],
    shows: 'done abc',
  },
  {
    name: 'typing and sending',
    html: `<form action="next.html">${INPUT}</form>`,
    files: { 'next.html': '<title>next</title><p>done</p>' },
    action: ['browser_type', { target: '#field', text: 'boots', submit: true }],
  },
  {
    name: 'typing and sending to a script',
    html: `<form id="form">${INPUT}</form>`,
    script:
      'element("form").onsubmit = async (event) => { event.preventDefault(); show(await fetched("find?after=250")); };',
    action: ['browser_type', { target: '#field', text: 'boots', submit: true }],
  },
  {
    name: 'typing what is checked as the field is left',
    html: `${INPUT}<label>Next <input id="next"></label>`,
    script: 'element("field").onblur = () => fetched("check?after=200").then(show);',
    first: [['browser_type', { target: '#field', text: 'x' }]],
    action: ['browser_click', { target: '#next' }],
  },
  {
    name: 'Enter in a field',
    html: `<form action="next.html">${INPUT}</form>`,
    files: { 'next.html': '<title>next</title><p>done</p>' },
    first: [['browser_type', { target: '#field', text: 'boots' }]],
    action: ['browser_press_key', { key: 'Enter' }],
  },
  {
    name: 'a key that a script acts on',
    script: 'addEventListener("keydown", ({ key }) => { if (key === "k") show(); })',
    action: ['browser_press_key', { key: 'k' }],
  },
  {
    name: 'Escape closes a panel',
    html: '<div id="panel">panel</div>',
    script:
      'addEventListener("keydown", ({ key }) => { if (key === "Escape") { element("panel").remove(); show(); } })',
    action: ['browser_press_key', { key: 'Escape' }],
    lacks: 'panel',
  },
  {
    name: 'Enter that starts a timer',

    script: 'addEventListener("keydown", ({ key }) => { if (key === "Enter") setTimeout(show, 250); })',
    action: ['browser_press_key', { key: 'Enter' }],
  },
  {
    name: 'a choice that changes the next list',

    html: '<select id="list" aria-label="Country"><option>one</option><option>two</option></select><select id="cities" aria-label="City"></select>',
    script:
      'element("list").onchange = ({ target }) => element("cities").add(new Option("done in " + target.value));',
    action: ['browser_select_option', { target: '#list', values: ['two'] }],
    shows: 'done in two',
  },
  {
    name: 'a box that is ticked',
    html: '<label><input id="tick" type="checkbox">Tick</label>',
    script: 'element("tick").onchange = () => fetched("save?after=200").then(show);',
    action: ['browser_click', { target: '#tick' }],
  },
  {
    name: 'a form that is filled in',

    html: `${INPUT}<label><input id="tick" type="checkbox">Tick</label>`,
    script:
      'element("field").oninput = () => show("name " + element("field").value); element("tick").onchange = () => show("tick done");',
    action: [
      'browser_fill_form',
      {
        fields: [
          { name: 'Search', type: 'textbox', target: '#field', value: 'ada' },
          { name: 'Tick', type: 'checkbox', target: '#tick', value: 'true' },
        ],
      },
    ],
    shows: 'tick done',
  },
  {
    name: 'a menu that opens under the pointer',
    html: '<style>#items { visibility: hidden } #menu:hover #items { visibility: visible }</style><div id="menu">Menu<ul id="items"><li>done</li></ul></div>',
    action: ['browser_hover', { target: '#menu' }],
  },
  {
    name: 'a click on a menu that has opened under the pointer',
    html: '<style>#items { visibility: hidden } #menu:hover #items { visibility: visible }</style><div id="menu">Menu<ul id="items"><li id="item">item</li></ul></div>',
    script: 'element("item").onclick = () => fetched("item?after=200").then(show);',
    first: [['browser_hover', { target: '#menu' }]],
    action: ['browser_click', { target: '#item' }],
  },
  {
    name: 'a hint that comes with the pointer',
    html: CARD,
    script: 'element("card").onpointerenter = () => show();',
    action: ['browser_hover', { target: '#card' }],
  },
  {
    name: 'a card that is dropped',

    html: `<div id="card" draggable="true" style="width: 90px; height: 40px">card</div><div id="bin" style="width: 90px; height: 90px">bin</div>`,
    script:
      'const bin = element("bin"); bin.ondragover = (event) => event.preventDefault(); bin.ondrop = (event) => { event.preventDefault(); bin.append(element("card")); fetched("move?after=200").then(show); };',
    action: ['browser_drag', { startTarget: '#card', endTarget: '#bin' }],
  },
  {
    name: 'a slider that the pointer drags',
    html: `${CARD}<div id="end" style="width: 90px; height: 90px">end</div>`,
    script:
      'let down = false; element("card").onpointerdown = () => { down = true; }; addEventListener("pointerup", () => { if (down) setTimeout(show, 200); })',
    action: ['browser_drag', { startTarget: '#card', endTarget: '#end' }],
  },
  {
    name: 'a click that waits whether it is a double one',
    html: CARD,
    script:
      'let timer; element("card").onclick = () => { clearTimeout(timer); timer = setTimeout(show, 250, "single"); }; element("card").ondblclick = () => { clearTimeout(timer); show("double"); };',
    action: ['browser_click', { target: '#card' }],
    shows: 'single',
  },
  {
    name: 'a double click',
    html: CARD,
    script:
      'let timer; element("card").onclick = () => { clearTimeout(timer); timer = setTimeout(show, 250, "single"); }; element("card").ondblclick = () => { clearTimeout(timer); setTimeout(show, 100, "double"); };',
    action: ['browser_click', { target: '#card', doubleClick: true }],
    shows: 'double',
    lacks: 'single',
  },
  {
    name: 'a menu of the right button',
    html: CARD,
    script: 'element("card").oncontextmenu = (event) => { event.preventDefault(); setTimeout(show, 150); };',
    action: ['browser_click', { target: '#card', button: 'right' }],
  },
  {
    name: 'evaluate that returns at once and starts a timer',
    action: ['browser_evaluate', { function: '() => { setTimeout(show, 300); return 1; }' }],
  },
  {
    name: 'evaluate that starts a fetch',
    action: ['browser_evaluate', { function: '() => { fetched("data?after=700").then(show); return 1; }' }],
  },
  {
    name: 'evaluate that waits for its promise',
    action: ['browser_evaluate', { function: 'async () => { await pause(200); show(); return "over"; }' }],
    shows: 'over',
  },
  {
    name: 'evaluate that leads elsewhere',

    files: { 'next.html': '<title>next</title><p>done</p>' },
    action: ['browser_evaluate', { function: '() => { location.href = "next.html?after=300"; }' }],
  },
  {
    name: 'evaluate that presses a button',
    script: 'onGo(() => setTimeout(show, 150))',
    action: ['browser_evaluate', { function: '() => element("go").click()' }],
  },
  {
    name: 'evaluate that fails after it has begun',
    action: ['browser_evaluate', { function: '() => { show(); throw new Error("oops"); }' }],
    shows: 'oops',
  },
  { name: 'a click on nothing', action: ['browser_evaluate', { function: '() => 42' }], shows: '42' },
];
