import { ref, type Scenario } from '../scenario.js';

const CHECKS = `<h1>Checks</h1><ul><li>one</li><li>two</li></ul>
  <label>Name <input value="Ann"></label><label>Yes <input type="checkbox" checked></label>
  <label>Pick <select><option>a</option><option selected>b</option></select></label>
  <button data-testid="go">Go</button>`;

export const TESTING: readonly Scenario[] = [
  {
    name: 'what is to be seen is verified',
    pages: { checks: CHECKS },
    calls: [
      ['browser_navigate', { url: '{site}/checks' }],
      ['browser_verify_element_visible', { role: 'button', accessibleName: 'Go' }],
      ['browser_verify_element_visible', { role: 'button', accessibleName: 'Stop' }, 'ELEMENT_NOT_FOUND'],
      ['browser_verify_text_visible', { text: 'Checks' }],
      ['browser_verify_text_visible', { text: 'Nowhere' }, 'ELEMENT_NOT_FOUND'],
      ['browser_verify_list_visible', { element: 'list', target: ref('list'), items: ['one', 'two'] }],
      [
        'browser_verify_list_visible',
        { element: 'list', target: 'ul', items: ['three'] },
        'ELEMENT_NOT_FOUND',
      ],
      [
        'browser_verify_value',
        { type: 'textbox', element: 'Name', target: ref('textbox "Name"'), value: 'Ann' },
      ],
      [
        'browser_verify_value',
        { type: 'textbox', element: 'Name', target: 'input >> nth=0', value: 'Bob' },
        'EXECUTION_ERROR',
      ],
      [
        'browser_verify_value',
        { type: 'checkbox', element: 'Yes', target: ref('checkbox "Yes"'), value: 'true' },
      ],
      ['browser_verify_value', { type: 'combobox', element: 'Pick', target: 'select', value: 'b' }],
      ['browser_verify_value', { type: 'knob', element: 'x', target: 'x', value: 'x' }, 'INVALID_ARGUMENTS'],
      ['browser_verify_text_visible', {}, 'INVALID_ARGUMENTS'],
      ['browser_verify_element_visible', {}, 'INVALID_ARGUMENTS'],
      ['browser_verify_list_visible', {}, 'INVALID_ARGUMENTS'],
      ['browser_generate_locator', { element: 'Go', target: ref('button "Go"') }],
      ['browser_generate_locator', { target: '#missing' }, 'ELEMENT_NOT_FOUND'],
      ['browser_generate_locator', {}, 'INVALID_ARGUMENTS'],
    ],
  },
  {
    name: 'elements that are highlighted',
    calls: [
      ['browser_navigate', { url: '{site}/checks' }],
      ['browser_highlight', { element: 'Go', target: ref('button "Go"') }],
      ['browser_highlight', { target: 'ul', style: 'outline: 2px solid red' }],
      ['browser_hide_highlight', { target: 'ul' }],
      ['browser_hide_highlight', { target: 'ul' }],
      ['browser_hide_highlight', {}],
      ['browser_highlight', {}, 'INVALID_ARGUMENTS'],
      ['browser_hide_highlight', { target: 5 }, 'INVALID_ARGUMENTS'],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'recordings',
    leavesTraces: true,
    inTurn: true,
    calls: [
      ['browser_navigate', { url: '{site}/checks' }],
      ['browser_start_tracing', {}],
      ['browser_start_tracing', {}, 'EXECUTION_ERROR'],
      ['browser_click', { target: ref('button "Go"') }],
      ['browser_stop_tracing', {}],
      ['browser_stop_tracing', {}, 'EXECUTION_ERROR'],
      ['browser_start_recording', {}],
      ['browser_click', { target: "getByRole('button', { name: 'Go' })" }],
      ['browser_stop_recording', {}],
      ['browser_stop_recording', {}, 'EXECUTION_ERROR'],
      ['browser_stop_video', {}],
      ['browser_video_chapter', { title: 'First' }],
      ['browser_video_chapter', {}, 'INVALID_ARGUMENTS'],
      ['browser_video_show_actions', {}],
      ['browser_video_hide_actions', {}],
      ['browser_video_show_actions', { position: 'middle' }, 'INVALID_ARGUMENTS'],
      ['browser_start_video', { fps: 'many' }, 'INVALID_ARGUMENTS'],
      ['browser_start_video', { size: { width: 320 } }, 'INVALID_ARGUMENTS'],
      ['browser_resume', {}, 'EXECUTION_ERROR'],
    ],
  },
  {
    name: 'a browser without the part that writes videos',
    leavesTraces: true,
    calls: [
      ['browser_navigate', { url: '{site}/checks' }],
      ['browser_start_video', {}, 'EXECUTION_ERROR'],
    ],
  },
  {
    name: 'arguments that no tool knows, and those of other tools',
    calls: [
      ['browser_navigate', { url: '{site}/checks', waitUntil: 'load' }],
      ['browser_click', { element: 'Go', target: ref('button "Go"'), ref: 'e1' }],
      ['browser_navigate_back', { steps: 1 }],
      ['browser_get_config', {}],
    ],
  },
];
