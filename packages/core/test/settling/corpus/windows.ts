import { join } from 'node:path';
import type { Row } from '../row.js';

/** Dialogs, file choosers and pop-ups. */
export const WINDOWS: readonly Row[] = [
  { name: 'an alert at once', script: 'onGo(() => alert("done"))' },
  { name: 'an alert after 200 ms', script: 'onGo(() => setTimeout(alert, 200, "done"))' },
  {
    name: 'an alert after a fetch of 300 ms',
    script: 'onGo(async () => alert(await fetched("data?after=300")))',
  },
  {
    name: 'an alert as the next page loads',
    files: { 'next.html': '<title>next</title><script>alert("done")</script>' },
    script: 'onGo(() => { location.href = "next.html"; })',
  },
  {
    name: 'a confirm that is accepted',
    script: 'onGo(() => show(confirm("sure?") ? "done" : "no"))',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_handle_dialog', { accept: true }],
  },
  {
    name: 'a confirm that starts a fetch',

    script: 'onGo(async () => { if (confirm("sure?")) show(await fetched("data?after=300")); })',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_handle_dialog', { accept: true }],
  },
  {
    name: 'a prompt that is answered, and a timer',
    script: 'onGo(() => { const name = prompt("name?"); setTimeout(show, 200, name); })',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_handle_dialog', { accept: true, promptText: 'done' }],
  },
  {
    name: 'two alerts, one behind the other',
    script: 'onGo(() => { alert("first"); alert("second"); })',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_handle_dialog', { accept: true }],
    shows: 'second',
  },
  {
    name: 'an alert, and 200 ms later another',

    script: 'onGo(() => { alert("first"); setTimeout(alert, 200, "second"); })',
    first: [['browser_click', { target: '#go' }]],
    action: ['browser_handle_dialog', { accept: true }],
    shows: 'second',
  },
  {
    name: 'a file chooser at once',
    html: '<input id="file" type="file">',
    action: ['browser_click', { target: '#file' }],
    shows: 'File chooser',
  },
  {
    name: 'a file chooser after 200 ms',

    html: '<input id="file" type="file" hidden>',
    script: 'onGo(() => setTimeout(() => element("file").click(), 200))',
    shows: 'File chooser',
  },
  {
    name: 'a file that the page reads',
    html: '<input id="file" type="file">',
    script:
      'element("file").onchange = async ({ target }) => { await target.files[0].text(); await pause(100); show(); };',
    first: [['browser_click', { target: '#file' }]],
    action: ['browser_file_upload', { paths: [join(process.cwd(), 'package.json')] }],
  },
  {
    name: 'a file that the page uploads',
    html: '<input id="file" type="file">',
    script:
      'element("file").onchange = async ({ target }) => show(await fetched("upload?after=300", { method: "POST", body: target.files[0] }));',
    first: [['browser_click', { target: '#file' }]],
    action: ['browser_file_upload', { paths: [join(process.cwd(), 'package.json')] }],
  },
  {
    name: 'a pop-up at once',

    files: { 'pop.html': '<title>popped up</title><p>pop</p>' },
    script: 'onGo(() => { open("pop.html"); })',
    shows: 'popped up',
  },
  {
    name: 'a pop-up after 200 ms',
    files: { 'pop.html': '<title>popped up</title><p>pop</p>' },
    script: 'onGo(() => setTimeout(() => { open("pop.html"); }, 200))',
    shows: 'popped up',
  },
  {
    name: 'a pop-up that is answered after 200 ms',
    files: { 'pop.html': '<title>popped up</title><p>pop</p>' },
    script: 'onGo(() => { open("pop.html?after=200"); })',
    shows: 'popped up',
  },
  {
    name: 'a link into a new tab',
    files: { 'pop.html': '<title>popped up</title><p>pop</p>' },
    html: '<a id="to" target="_blank" href="pop.html">new</a>',
    action: ['browser_click', { target: '#to' }],
    shows: 'popped up',
  },
  {
    name: 'a pop-up that reports to its opener',
    files: { 'pop.html': '<title>popped up</title><script>setTimeout(() => opener.show(), 150)</script>' },
    script: 'window.show = show; onGo(() => { open("pop.html"); })',
  },
  {
    name: 'a pop-up that reports and closes itself',
    files: {
      'pop.html':
        '<title>popped up</title><script>setTimeout(() => { opener.show(); close(); }, 200)</script>',
    },
    script: 'window.show = show; onGo(() => { open("pop.html"); })',
    lacks: 'popped up',
  },
];
