import { ref, type Scenario, type ScenarioCall } from '../scenario.js';

const UPLOAD = `
  <input type="file" aria-label="File" multiple onchange="said.textContent = [...this.files].map((f) => f.name + ' ' + f.size)">
  <button onclick="document.querySelector('input').click()">Choose</button>
  <div id="drop" style="height: 40px" ondragover="event.preventDefault()"
    ondrop="event.preventDefault(); said.textContent = 'dropped ' + [...event.dataTransfer.files].map((f) => f.name)">Drop</div>
  <p id="said">-</p>`;

/** A click that opens a file chooser, which stands in the way of the next call. */
const CHOOSE: readonly ScenarioCall[] = [
  ['browser_click', { target: "getByRole('button', { name: 'Choose' })" }, undefined, 'sets off'],
  ['browser_snapshot', {}, 'EXECUTION_ERROR', { until: '[File chooser]' }],
];

const DOWNLOAD = `<a href="/download">Report</a>
  <a href="data:text/plain,hello" download="hello.txt">Hello</a>`;

const CONSOLE = `<script>
  console.log('a log', { a: 1 });
  console.info('an info');
  console.warn('a warning');
  console.error('an error');
  console.debug('a detail');
  setTimeout(() => { throw new Error('nobody caught it'); });
  Promise.reject(new Error('nobody handled it'));
</script><button onclick="console.log('pressed')">Log</button>`;

const NETWORK = `<link rel="stylesheet" href="/style.css"><img src="/image.png" alt="dot">
  <h1>Network</h1>
  <button onclick="fetch('/json').then((r) => r.json()).then((j) => said.textContent = j.answer)">Ask</button>
  <button onclick="fetch('/echo', { method: 'POST', body: 'ping', headers: { 'content-type': 'text/plain' } }).then((r) => r.text()).then((t) => said.textContent = t).catch((e) => said.textContent = e.name)">Send</button>
  <button onclick="fetch('/broken').catch((e) => said.textContent = 'lost')">Lose</button>
  <p id="said">-</p>`;

export const TRANSFERS: readonly Scenario[] = [
  {
    name: 'uploads',
    pages: { upload: UPLOAD },
    calls: [
      ['browser_navigate', { url: '{site}/upload' }],
      ['browser_file_upload', { paths: ['{root}/notes.txt'] }, 'EXECUTION_ERROR'],
      ...CHOOSE,
      ['browser_file_upload', { paths: ['{root}/notes.txt'] }],
      ['browser_snapshot'],
      ...CHOOSE,
      ['browser_file_upload', { paths: ['{root}/notes.txt', '{root}/more.txt'] }],
      ...CHOOSE,
      ['browser_file_upload', {}],
      ...CHOOSE,
      ['browser_file_upload', { paths: ['/etc/hostname'] }, 'INVALID_ARGUMENTS'],
      ['browser_file_upload', { paths: ['{root}/missing.txt'] }, 'INVALID_ARGUMENTS'],
      ['browser_file_upload', { paths: 'notes.txt' }, 'INVALID_ARGUMENTS'],
      ['browser_file_upload', {}],
      ['browser_drop', { target: '#drop', paths: ['{root}/notes.txt'] }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'downloads',
    pages: { downloads: DOWNLOAD },
    calls: [
      ['browser_navigate', { url: '{site}/downloads' }],
      ['browser_click', { target: ref('link "Report"') }, undefined, 'sets off'],
      ['browser_snapshot', {}, undefined, { until: 'Downloaded file' }],
      ['browser_snapshot'],
      ['browser_navigate', { url: '{site}/download' }],
      ['browser_tabs', { action: 'list' }],
    ],
  },
  {
    name: 'console messages and errors that nobody caught',
    pages: { console: CONSOLE },
    calls: [
      ['browser_navigate', { url: '{site}/console' }],
      ['browser_console_messages', {}],
      ['browser_console_messages', { level: 'error' }],
      ['browser_console_messages', { level: 'warning' }],
      ['browser_console_messages', { level: 'debug', all: true }],
      ['browser_console_messages', { level: 'info', filename: 'console.txt' }],
      ['browser_console_messages', { level: 'loud' }, 'INVALID_ARGUMENTS'],
      ['browser_click', { target: ref('button "Log"') }],
      ['browser_navigate', { url: '{site}/plain' }],
      ['browser_console_messages', { level: 'info' }],
      ['browser_console_messages', { level: 'info', all: true }],
    ],
  },
  {
    name: 'requests of a page',
    pages: { network: NETWORK },
    calls: [
      ['browser_navigate', { url: '{site}/network' }],
      ['browser_network_requests', {}],
      ['browser_network_requests', { static: true }],
      ['browser_click', { target: ref('button "Ask"') }],
      ['browser_click', { target: ref('button "Send"') }],
      ['browser_click', { target: ref('button "Lose"') }],
      ['browser_network_requests', { static: false }],
      ['browser_network_requests', { static: false, filter: 'echo' }],
      ['browser_network_requests', { static: true, filename: 'requests.txt' }],
      ['browser_network_requests', { static: 'yes' }, 'INVALID_ARGUMENTS'],
      ['browser_network_requests', { static: true, filter: '(' }, 'INVALID_ARGUMENTS'],
      ['browser_network_request', { index: 5 }],
      ['browser_network_request', { index: 5, part: 'request-body' }],
      ['browser_network_request', { index: 4, part: 'response-body' }],
      ['browser_network_request', { index: 5, part: 'request-headers', filename: 'headers.txt' }],
      ['browser_network_request', { index: 99 }, 'INVALID_ARGUMENTS'],
      ['browser_network_request', { index: 0 }, 'INVALID_ARGUMENTS'],
      ['browser_network_request', { index: 1, part: 'all' }, 'INVALID_ARGUMENTS'],
      ['browser_network_request', {}, 'INVALID_ARGUMENTS'],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'routes and a browser without a network',
    leavesTraces: true,
    calls: [
      ['browser_navigate', { url: '{site}/network' }],
      ['browser_route_list'],
      [
        'browser_route',
        { pattern: '**/json', status: 200, body: '{"answer":43}', contentType: 'application/json' },
      ],
      ['browser_route', { pattern: '**/echo', status: 500, headers: ['X-One: 1'] }],
      ['browser_route', { pattern: '**/style.css', headers: ['X-Two: 2'], removeHeaders: 'cookie' }],
      ['browser_route_list'],
      ['browser_click', { target: ref('button "Ask"') }],
      ['browser_snapshot'],
      ['browser_unroute', { pattern: '**/json' }],
      ['browser_route_list'],
      ['browser_unroute', { pattern: '**/nothing' }],
      ['browser_unroute', {}],
      ['browser_route_list'],
      ['browser_route', {}, 'INVALID_ARGUMENTS'],
      ['browser_route', { pattern: '**', status: 'ok' }, 'INVALID_ARGUMENTS'],
      ['browser_network_state_set', { state: 'offline' }],
      ['browser_click', { target: "getByRole('button', { name: 'Send' })" }],
      ['browser_snapshot'],
      ['browser_network_state_set', { state: 'online' }],
      ['browser_click', { target: "getByRole('button', { name: 'Send' })" }],
      ['browser_snapshot'],
      ['browser_unroute', { pattern: 5 }, 'INVALID_ARGUMENTS'],
      ['browser_network_state_set', { state: 'slow' }, 'INVALID_ARGUMENTS'],
    ],
  },
];
