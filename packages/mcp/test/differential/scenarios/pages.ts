import { ref, type Scenario, type ScenarioCall } from '../scenario.js';

const CARDS = `
  <title>Cards</title>
  <button onclick="this.textContent = 'Pressed'">Press me</button>
  <button ondblclick="this.textContent = 'Twice'">Press twice</button>
  <button oncontextmenu="event.preventDefault(); this.textContent = 'Menu'">Right</button>
  <button onclick="this.textContent = event.shiftKey && event.ctrlKey ? 'With keys' : 'Without'">Keys</button>
  <button disabled>Never</button>
  <button style="display: none">Hidden</button>
  <p>same</p><p>same</p>`;

const MENU = `
  <style>#more { display: none } nav:hover #more { display: block }</style>
  <nav><span>File</span><ul id="more"><li><a href="#open" onclick="note.textContent = 'Opened'">Open</a></li></ul></nav>
  <p id="note">Nothing yet</p>`;

const DRAG = `
  <div id="from" draggable="true" ondragstart="event.dataTransfer.setData('text', 'cargo')">Drag me</div>
  <div id="to" style="height: 80px" ondragover="event.preventDefault()"
    ondrop="event.preventDefault(); this.textContent = 'Got ' + (event.dataTransfer.getData('text') || [...event.dataTransfer.files].map((f) => f.name))">Drop here</div>`;

const FRAMES = `
  <h1>Outside</h1>
  <iframe name="inner" srcdoc="<button onclick=&quot;this.textContent = 'Inner pressed'&quot;>Inner</button><iframe srcdoc='<input aria-label=Deep>'></iframe>"></iframe>`;

const SHADOW = `
  <fancy-box></fancy-box>
  <script>
    customElements.define('fancy-box', class extends HTMLElement {
      connectedCallback() {
        const root = this.attachShadow({ mode: 'open' });
        root.innerHTML = '<button>In the shadow</button><slot></slot>';
        root.querySelector('button').onclick = (event) => { event.target.textContent = 'Seen'; };
      }
    });
  </script>`;

const LIST = `<ul></ul><script>
  for (let i = 1; i <= 60; i++) document.querySelector('ul').insertAdjacentHTML('beforeend', '<li><a href="#' + i + '">Entry ' + i + '</a></li>');
</script>`;

const CANVAS = `<style>body { margin: 0 }</style>
  <canvas width="400" height="200"></canvas><p id="seen">-</p>
  <script>
    const seen = document.querySelector('#seen');
    for (const name of ['mousedown', 'mouseup', 'click', 'dblclick', 'wheel', 'contextmenu'])
      document.addEventListener(name, (event) => { seen.textContent += ' ' + name + ':' + event.button + '@' + event.clientX + ',' + event.clientY; });
    document.addEventListener('mousemove', (event) => { document.title = 'At ' + event.clientX + ',' + event.clientY; });
  </script>`;

const APP = `<title>One</title><h1>One</h1>
  <a href="#" onclick="event.preventDefault(); history.pushState({}, '', '/app/two'); document.title = 'Two'; document.querySelector('h1').textContent = 'Two'">Two</a>
  <script>addEventListener('popstate', () => { document.title = 'Back'; document.querySelector('h1').textContent = 'Back'; })</script>`;

const LATE = `<p id="p">Loading</p>
  <script>function load() { setTimeout(() => { p.textContent = 'Ready'; }, 600); }</script>`;

const MEDIA = `<p id="p"></p><script>
  const tell = () => { p.textContent = ['prefers-color-scheme: dark', 'prefers-reduced-motion: reduce', 'forced-colors: active', 'prefers-contrast: more', 'print'].filter((q) => matchMedia(q === 'print' ? q : '(' + q + ')').matches).join() || 'plain'; };
  tell();
</script>`;

/**
 * A load that fails, in a tab of its own: a navigation right behind it in the same tab would be interrupted now and
 * then by Chromium's page of errors.
 */
function elsewhere(url: string): ScenarioCall[] {
  return [
    ['browser_tabs', { action: 'new' }],
    ['browser_navigate', { url }, url.endsWith('/hang') ? 'NAVIGATION_TIMEOUT' : 'EXECUTION_ERROR'],
    ['browser_tabs', { action: 'close' }],
  ];
}

export const PAGES: readonly Scenario[] = [
  {
    name: 'clicks of all kinds',
    pages: { cards: CARDS },
    calls: [
      ['browser_navigate', { url: '{site}/cards' }],
      ['browser_click', { element: 'a button', target: ref('button "Press me"') }],
      ['browser_click', { target: ref('button "Press twice"'), doubleClick: true }],
      ['browser_click', { target: ref('button "Right"'), button: 'right' }],
      ['browser_click', { target: "getByRole('button', { name: 'Keys' })", modifiers: ['Shift', 'Control'] }],
      ['browser_click', { target: 'text=Pressed' }],
      ['browser_snapshot'],
      ['browser_snapshot', { depth: 1 }],
      ['browser_snapshot', { target: 'body', boxes: true }],
      ['browser_snapshot', { filename: 'page.yml' }],
      ['browser_find', { text: 'same' }],
      ['browser_find', { regex: '/T[a-z]ice/' }],
      ['browser_find', { text: 'no such text' }],
    ],
  },
  {
    name: 'clicks that fail',
    calls: [
      ['browser_navigate', { url: '{site}/cards' }],
      ['browser_click', { target: '#missing' }, 'ELEMENT_NOT_FOUND'],
      ['browser_click', { target: 'p' }, 'INVALID_ARGUMENTS'],
      ['browser_click', { target: ref('button "Never"') }, 'EXECUTION_ERROR'],
      ['browser_click', { target: 'text=Hidden' }, 'ELEMENT_NOT_VISIBLE'],
      ['browser_click', { target: 'e999' }, 'ELEMENT_NOT_FOUND'],
      ['browser_click', { target: '>>' }, 'INVALID_ARGUMENTS'],
      ['browser_click', {}, 'INVALID_ARGUMENTS'],
      ['browser_click', { target: 'button', button: 'fourth' }, 'INVALID_ARGUMENTS'],
      ['browser_click', { target: 'button >> nth=0', modifiers: ['Hyper'] }, 'INVALID_ARGUMENTS'],
      ['browser_click', { target: 7 }, 'INVALID_ARGUMENTS'],
      ['browser_hover', { target: '#missing' }, 'ELEMENT_NOT_FOUND'],
      ['browser_find', {}, 'INVALID_ARGUMENTS'],
      ['browser_find', { regex: '(' }, 'INVALID_ARGUMENTS'],
      ['browser_snapshot', { target: '#missing' }, 'ELEMENT_NOT_FOUND'],
      ['browser_no_such_tool', {}, 'TOOL_NOT_FOUND'],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'a menu that opens on hover',
    pages: { menu: MENU },
    calls: [
      ['browser_navigate', { url: '{site}/menu' }],
      ['browser_hover', { element: 'File', target: 'text=File' }],
      ['browser_snapshot'],
      ['browser_click', { element: 'Open', target: ref('link "Open"') }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'drag and drop',
    pages: { drag: DRAG },
    calls: [
      ['browser_navigate', { url: '{site}/drag' }],
      [
        'browser_drag',
        {
          startElement: 'a',
          startTarget: ref('Drag me'),
          endElement: 'b',
          endTarget: ref('Drop here'),
        },
      ],
      ['browser_drag', { startTarget: '#from', endTarget: '#to' }],
      ['browser_snapshot'],
      ['browser_drop', { target: '#to', data: { 'text/plain': 'from afar' } }],
      ['browser_drop', { target: '#to' }, 'INVALID_ARGUMENTS'],
      ['browser_drag', { startTarget: '#from' }, 'INVALID_ARGUMENTS'],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'frames within frames',
    pages: { frames: FRAMES },
    calls: [
      ['browser_navigate', { url: '{site}/frames' }],
      ['browser_snapshot'],
      ['browser_click', { element: 'Inner', target: ref('button "Inner"') }],
      ['browser_type', { element: 'Deep', target: ref('textbox "Deep"'), text: 'down here' }],
      [
        'browser_evaluate',
        { element: 'Deep', target: ref('textbox "Deep"'), function: '(node) => node.value' },
      ],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'elements in the shadow DOM',
    pages: { shadow: SHADOW },
    calls: [
      ['browser_navigate', { url: '{site}/shadow' }],
      ['browser_click', { target: ref('In the shadow') }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'a long list',
    pages: { list: LIST },
    calls: [
      ['browser_navigate', { url: '{site}/list' }],
      ['browser_find', { text: 'Entry 59' }],
      ['browser_click', { target: ref('link "Entry 59"') }],
      ['browser_snapshot', { target: 'li >> nth=4' }],
      ['browser_snapshot', { filename: '{root}/list.yml' }],
      ['browser_take_screenshot', { scale: 'css', fullPage: true }],
    ],
  },
  {
    name: 'a canvas by coordinates',
    pages: { canvas: CANVAS },
    calls: [
      ['browser_navigate', { url: '{site}/canvas' }],
      ['browser_mouse_move_xy', { x: 10, y: 20 }],
      ['browser_mouse_click_xy', { x: 30, y: 40 }],
      ['browser_mouse_click_xy', { x: 31, y: 41, button: 'right', clickCount: 2, delay: 5 }],
      ['browser_mouse_down', {}],
      ['browser_mouse_move_xy', { x: 50, y: 60 }],
      ['browser_mouse_up', {}],
      ['browser_mouse_drag_xy', { startX: 5, startY: 6, endX: 70, endY: 80 }],
      ['browser_mouse_wheel', { deltaX: 0, deltaY: 40 }],
      ['browser_wait_for', { text: 'wheel:' }],
      ['browser_mouse_click_xy', { x: 'left', y: 1 }, 'INVALID_ARGUMENTS'],
      ['browser_mouse_click_xy', { x: 1 }, 'INVALID_ARGUMENTS'],
      ['browser_mouse_move_xy', {}, 'INVALID_ARGUMENTS'],
      ['browser_mouse_wheel', { deltaX: 'far' }, 'INVALID_ARGUMENTS'],
      ['browser_mouse_down', { button: 'fourth' }, 'INVALID_ARGUMENTS'],
      ['browser_mouse_up', { button: 'fourth' }, 'INVALID_ARGUMENTS'],
      ['browser_mouse_drag_xy', { startX: 1 }, 'INVALID_ARGUMENTS'],
      ['browser_snapshot'],
      ['browser_mouse_wheel', {}],
    ],
  },
  {
    name: 'going through the history of an app',
    pages: { app: APP, plain: '<title>Plain</title><h1>Plain</h1>' },
    calls: [
      ['browser_navigate', { url: '{site}/plain' }],
      ['browser_navigate', { url: '{site}/app' }],
      ['browser_click', { target: ref('link "Two"') }],
      ['browser_navigate_back'],
      ['browser_snapshot'],
      ['browser_navigate_back'],
      ['browser_press_key', { key: 'F5' }],
      ['browser_navigate_back'],
    ],
  },
  {
    name: 'waiting for what comes',
    pages: { late: LATE },
    calls: [
      ['browser_navigate', { url: '{site}/late' }],
      ['browser_evaluate', { function: '() => load()' }],
      ['browser_wait_for', { text: 'Ready' }],
      ['browser_wait_for', { textGone: 'Loading' }],
      ['browser_wait_for', { time: 0.1 }],
      ['browser_wait_for', { text: 'Never' }, 'CALL_TIMEOUT'],
      ['browser_wait_for', {}, 'INVALID_ARGUMENTS'],
      ['browser_wait_for', { time: 'long' }, 'INVALID_ARGUMENTS'],
    ],
  },
  {
    name: 'navigations that go elsewhere, slowly or nowhere',
    leavesTraces: true,
    calls: [
      ['browser_navigate', { url: '{site}/redirect' }],
      ['browser_navigate', { url: '{site}/slow' }],
      ['browser_navigate', { url: '{site}/status/404' }],
      ['browser_navigate', { url: '{site}/status/500' }],
      ...[
        '{site}/empty',
        '{site}/broken',
        '{site}/basic',
        '{site}/hang',
        'http://no-such-host.invalid/',
      ].flatMap(elsewhere),
      ['browser_navigate', { url: 'about:blank' }],
      ['browser_navigate', { url: 'data:text/html,<title>Data</title>' }],
      ['browser_tabs', { action: 'new' }],
      ['browser_navigate', { url: 'file:///etc/hostname' }, 'URL_BLOCKED'],
      ['browser_navigate', { url: 'not an address' }, 'EXECUTION_ERROR'],
      ['browser_navigate', {}, 'INVALID_ARGUMENTS'],
      ['browser_navigate', { url: 5 }, 'INVALID_ARGUMENTS'],
    ],
  },
  {
    name: 'code in the page and beside it',
    calls: [
      ['browser_navigate', { url: '{site}/cards' }],
      ['browser_evaluate', { function: '() => document.title' }],
      ['browser_evaluate', { function: '() => ({ a: [1, null, undefined], d: new Date(0) })' }],
      ['browser_evaluate', { function: '() => undefined' }],
      ['browser_evaluate', { function: 'document.title' }],
      [
        'browser_evaluate',
        { function: '() => { throw new Error("thrown in the page") }' },
        'EXECUTION_ERROR',
      ],
      ['browser_evaluate', { function: '() => {' }, 'EXECUTION_ERROR'],
      ['browser_evaluate', { target: '#missing', function: '() => 1' }, 'ELEMENT_NOT_FOUND'],
      ['browser_evaluate', { function: '() => "kept"', filename: 'value.json' }],
      ['browser_evaluate', {}, 'INVALID_ARGUMENTS'],
      ['browser_run_code_unsafe', { code: 'async (page) => await page.title()' }],
      [
        'browser_run_code_unsafe',
        { code: 'async () => { throw new Error("thrown beside it") }' },
        'EXECUTION_ERROR',
      ],
      ['browser_run_code_unsafe', {}, 'EXECUTION_ERROR'],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'size, media and pictures',
    pages: { media: MEDIA },
    calls: [
      ['browser_navigate', { url: '{site}/media' }],
      ['browser_resize', { width: 640, height: 480 }],
      ['browser_take_screenshot', {}],
      ['browser_take_screenshot', { type: 'jpeg', scale: 'device' }],
      ['browser_take_screenshot', { element: 'p', target: 'p', filename: 'p.png' }],
      ['browser_take_screenshot', { target: 'p', fullPage: true }, 'INVALID_ARGUMENTS'],
      ['browser_take_screenshot', { type: 'gif' }, 'INVALID_ARGUMENTS'],
      ['browser_take_screenshot', { target: '#missing' }, 'ELEMENT_NOT_FOUND'],
      ['browser_resize', { width: 640 }, 'INVALID_ARGUMENTS'],
      ['browser_resize', { width: 'wide', height: 1 }, 'INVALID_ARGUMENTS'],
      ['browser_emulate_media', { colorScheme: 'dark', reducedMotion: 'reduce' }],
      ['browser_evaluate', { function: '() => (tell(), p.textContent)' }],
      ['browser_emulate_media', { colorScheme: null, media: 'print' }],
      ['browser_evaluate', { function: '() => (tell(), p.textContent)' }],
      ['browser_emulate_media', { colorScheme: 'purple' }, 'INVALID_ARGUMENTS'],
      ['browser_emulate_media', {}, 'INVALID_ARGUMENTS'],
      ['browser_pdf_save', {}],
      ['browser_pdf_save', { filename: 'page.pdf' }],
      ['browser_pdf_save', { filename: 5 }, 'INVALID_ARGUMENTS'],
    ],
  },
];
