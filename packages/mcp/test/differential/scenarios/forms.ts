import { ref, type Scenario } from '../scenario.js';

const FORM = `
  <form onsubmit="event.preventDefault(); result.textContent = 'Sent ' + new URLSearchParams(new FormData(this))">
    <label>Name <input name="name"></label>
    <label>Mail <input name="mail" type="email" placeholder="you@example.com"></label>
    <label>Secret <input name="secret" type="password"></label>
    <label>Age <input name="age" type="number"></label>
    <label>Day <input name="day" type="date"></label>
    <label>Volume <input name="volume" type="range" min="0" max="10" value="3"></label>
    <label>Colour <input name="colour" type="color" value="#ff0000"></label>
    <label>Agree <input name="agree" type="checkbox"></label>
    <label><input type="radio" name="size" value="s"> Small</label>
    <label><input type="radio" name="size" value="l"> Large</label>
    <label>Country <select name="country"><option>France</option><option>Peru</option></select></label>
    <label>Tags <select name="tags" multiple><option>red</option><option>blue</option></select></label>
    <label>About <textarea name="about"></textarea></label>
    <label>Off <input name="off" disabled></label>
    <label>Fixed <input name="fixed" readonly value="same"></label>
    <button>Send</button>
  </form>
  <output id="result"></output>`;

export const FORMS: readonly Scenario[] = [
  {
    name: 'a form is filled in at once and sent',
    pages: { form: FORM },
    calls: [
      ['browser_navigate', { url: '{site}/form' }],
      ['browser_snapshot'],
      [
        'browser_fill_form',
        {
          fields: [
            { name: 'Name', type: 'textbox', target: ref('textbox "Name"'), value: 'Ann' },
            { name: 'Agree', type: 'checkbox', target: ref('checkbox "Agree"'), value: 'true' },
            { name: 'Size', type: 'radio', target: ref('radio "Large"'), value: 'true' },
            { name: 'Country', type: 'combobox', target: ref('combobox "Country"'), value: 'Peru' },
            { name: 'Volume', type: 'slider', target: ref('slider "Volume"'), value: '7' },
          ],
        },
      ],
      ['browser_click', { element: 'Send', target: ref('button "Send"') }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'fields are typed into one by one',
    calls: [
      ['browser_navigate', { url: '{site}/form' }],
      ['browser_type', { element: 'Name', target: ref('textbox "Name"'), text: 'Bob' }],
      ['browser_type', { target: ref('textbox "Mail"'), text: 'b@c.de', slowly: true }],
      ['browser_type', { target: ref('textbox "Secret"'), text: 'secret' }],
      ['browser_type', { target: 'textarea', text: 'two\nlines' }],
      ['browser_type', { target: "getByLabel('Day')", text: '2026-11-22' }],
      ['browser_type', { target: ref('spinbutton "Age"'), text: '41' }],
      ['browser_press_key', { key: 'Tab' }],
      ['browser_press_key', { key: 'ArrowUp' }],
      ['browser_select_option', { target: ref('combobox "Country"'), values: ['Peru'] }],
      ['browser_select_option', { target: ref('listbox "Tags"'), values: ['red', 'blue'] }],
      ['browser_type', { target: ref('textbox "Name"'), text: 'Bo', submit: true }],
      ['browser_snapshot'],
    ],
  },
  {
    name: 'fields that take no such value',
    calls: [
      ['browser_navigate', { url: '{site}/form' }],
      ['browser_type', { target: '[name=off]', text: 'x' }, 'EXECUTION_ERROR'],
      ['browser_type', { target: '[name=fixed]', text: 'x' }, 'EXECUTION_ERROR'],
      ['browser_type', { target: 'button', text: 'x' }, 'EXECUTION_ERROR'],
      ['browser_select_option', { target: '[name=country]', values: ['Mars'] }, 'ELEMENT_NOT_FOUND'],
      ['browser_fill_form', { fields: [] }],
      ['browser_fill_form', { fields: [{ name: 'Name' }] }, 'INVALID_ARGUMENTS'],
      ['browser_press_key', { key: 'NoSuchKey' }, 'INVALID_ARGUMENTS'],
      ['browser_press_key', {}, 'INVALID_ARGUMENTS'],
      ['browser_snapshot'],
    ],
  },
];
