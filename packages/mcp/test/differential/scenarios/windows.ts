import { ref, type Scenario, type ScenarioCall } from '../scenario.js';

const DIALOGS = `
  <p id="said">-</p>
  <button onclick="alert('Careful'); said.textContent = 'alerted'">Alert</button>
  <button onclick="said.textContent = confirm('Sure?')">Confirm</button>
  <button onclick="said.textContent = prompt('Who?', 'me')">Prompt</button>
  <button onclick="alert('one'); alert('two'); said.textContent = 'both'">Twice</button>`;

const LEAVING = `<title>Leaving</title><input aria-label="Draft">
  <script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`;

const OPENER = `<title>Opener</title>
  <a href="/popup" target="_blank">New tab</a>
  <button onclick="open('/popup', 'w', 'width=300,height=200')">Pop-up</button>
  <button onclick="open('/login-window', 's', 'width=300,height=200')">Log in</button>`;

/** It is open until its opener is done with it. */
const LOGIN = '<title>Log in</title><script>setInterval(() => opener.done && close(), 20)</script>';

/** Waits until as many tabs are open. */
function tabsOpen(count: number): ScenarioCall {
  const code = `async (page) => { while (page.context().pages().length !== ${count}) await page.waitForTimeout(20); }`;
  return ['browser_run_code_unsafe', { code }, undefined, 'sets off'];
}

export const WINDOWS: readonly Scenario[] = [
  {
    name: 'dialogs',
    pages: { dialogs: DIALOGS },
    calls: [
      ['browser_navigate', { url: '{site}/dialogs' }],
      ['browser_handle_dialog', { accept: true }, 'EXECUTION_ERROR'],
      ['browser_click', { target: ref('button "Alert"') }],
      ['browser_snapshot', {}, 'EXECUTION_ERROR'],
      ['browser_handle_dialog', { accept: true }],
      ['browser_click', { target: "getByRole('button', { name: 'Confirm' })" }],
      ['browser_handle_dialog', { accept: false }],
      ['browser_click', { target: "getByRole('button', { name: 'Prompt' })" }],
      ['browser_handle_dialog', { accept: true, promptText: 'Ann' }],
      ['browser_snapshot'],
      ['browser_click', { target: "getByRole('button', { name: 'Prompt' })" }],
      ['browser_handle_dialog', { accept: false }],
      ['browser_click', { target: "getByRole('button', { name: 'Twice' })" }],
      ['browser_handle_dialog', { accept: true }, undefined, 'sets off'],
      ['browser_snapshot', {}, 'EXECUTION_ERROR', { until: 'message "two"' }],
      ['browser_handle_dialog', { accept: true }],
      ['browser_snapshot'],
      ['browser_handle_dialog', {}, 'INVALID_ARGUMENTS'],
    ],
  },
  {
    name: 'a dialog that stands in the way',
    calls: [
      ['browser_navigate', { url: '{site}/dialogs' }],
      ['browser_click', { target: "getByRole('button', { name: 'Alert' })" }],
      ['browser_click', { target: "getByRole('button', { name: 'Confirm' })" }, 'EXECUTION_ERROR'],
      ['browser_evaluate', { function: '() => 1' }, 'EXECUTION_ERROR'],
      ['browser_take_screenshot', {}, 'EXECUTION_ERROR'],
      ['browser_tabs', { action: 'list' }],
      ['browser_console_messages', {}, 'EXECUTION_ERROR'],
      ['browser_handle_dialog', { accept: true }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'a page that does not want to be left',
    leavesTraces: true,
    pages: { leaving: LEAVING },
    calls: [
      ['browser_navigate', { url: '{site}/leaving' }],
      ['browser_type', { target: ref('textbox "Draft"'), text: 'unsaved' }],
      ['browser_navigate', { url: '{site}/plain' }],
      ['browser_tabs', { action: 'list' }],
    ],
  },
  {
    name: 'tabs',
    leavesTraces: true,
    pages: { opener: OPENER, popup: '<title>Pop-up</title><h1>Popped up</h1>' },
    calls: [
      ['browser_tabs', { action: 'list' }],
      ['browser_navigate', { url: '{site}/opener' }],
      ['browser_tabs', { action: 'new', url: '{site}/plain' }],
      ['browser_tabs', { action: 'new' }],
      ['browser_tabs', { action: 'select', index: 0 }],
      ['browser_snapshot'],
      ['browser_tabs', { action: 'close', index: 1 }],
      ['browser_click', { target: "getByRole('link', { name: 'New tab' })" }, undefined, 'sets off'],
      ['browser_tabs', { action: 'list' }, undefined, { until: '[Pop-up](' }],
      ['browser_tabs', { action: 'select', index: 2 }],
      ['browser_snapshot'],
      ['browser_tabs', { action: 'close' }],
      ['browser_tabs', { action: 'select', index: 9 }, 'INVALID_ARGUMENTS'],
      ['browser_tabs', { action: 'close', index: 9 }, 'INVALID_ARGUMENTS'],
      ['browser_tabs', { action: 'select' }, 'INVALID_ARGUMENTS'],
      ['browser_tabs', { action: 'reorder' }, 'INVALID_ARGUMENTS'],
      ['browser_tabs', {}, 'INVALID_ARGUMENTS'],
      ['browser_tabs', { action: 'list' }],
    ],
  },
  {
    name: 'pop-ups, and one that closes itself',
    leavesTraces: true,
    pages: { 'login-window': LOGIN },
    calls: [
      ['browser_navigate', { url: '{site}/opener' }],
      ['browser_click', { target: ref('button "Pop-up"') }, undefined, 'sets off'],
      ['browser_tabs', { action: 'list' }, undefined, { until: '[Pop-up](' }],
      ['browser_click', { target: ref('button "Log in"') }, undefined, 'sets off'],
      ['browser_tabs', { action: 'list' }, undefined, { until: '[Log in](' }],
      ['browser_evaluate', { function: '() => { window.done = true; }' }, undefined, 'sets off'],
      tabsOpen(2),
      ['browser_tabs', { action: 'list' }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'closing and going on',
    leavesTraces: true,
    calls: [
      ['browser_navigate', { url: '{site}/plain' }],
      ['browser_close'],
      ['browser_snapshot'],
      ['browser_navigate', { url: '{site}/plain' }],
      ['browser_tabs', { action: 'close' }],
      ['browser_tabs', { action: 'list' }],
      ['browser_navigate', { url: '{site}/plain' }],
    ],
  },
];
