// @module-tag at-length
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../fixtures/stdio-server.js';
import { normalise } from './normalise.js';
import { Peer } from './peer.js';
import { ref, type ScenarioCall } from './scenario.js';
import { startScenarioSite } from './scenario-site.js';

const PAGE = `<title>Flags</title>
  <button data-qa="go" onclick="console.log('a log'); console.error('an error')">Go</button>
  <input aria-label="Name"><p id="seen"></p>
  <script>seen.textContent = [innerWidth, innerHeight, navigator.userAgent, document.cookie, window.fromScript]</script>`;

const CALLS: readonly ScenarioCall[] = [
  ['browser_navigate', { url: '{site}/flags' }],
  ['browser_snapshot'],
  ['browser_click', { target: ref('button "Go"') }],
  ['browser_type', { target: ref('textbox "Name"'), text: 'PASSWORD' }],
  ['browser_evaluate', { function: '() => [document.querySelector("input").value, window.fromPage]' }],
  ['browser_console_messages', {}],
  ['browser_take_screenshot', { filename: 'picture.png' }],
  ['browser_generate_locator', { target: ref('button "Go"') }],
];

it("upstream's flags do to the answers what they do there [arch-upstream-01]", async () => {
  await using directory = await temporaryDirectory();
  const file = async (name: string, text: string) => {
    const path = join(directory.path, name);
    await writeFile(path, text);
    return path;
  };
  await using site = await startScenarioSite([{ name: 'flags', pages: { flags: PAGE }, calls: CALLS }]);
  const cookie = { name: 'kept', value: 'yes', domain: '127.0.0.1', path: '/', expires: -1, sameSite: 'Lax' };
  const state = { cookies: [{ ...cookie, httpOnly: false, secure: false }], origins: [] };
  const page =
    'export default async ({ page }) => { await page.addInitScript(() => { window.fromPage = 8; }); };';
  const flags = {
    'viewport-size': '500x400',
    'user-agent': 'Somebody/1',
    'init-script': await file('script.js', 'window.fromScript = 7;'),
    'init-page': await file('page.ts', page),
    secrets: await file('secrets.env', 'PASSWORD=hunter2'),
    'storage-state': await file('state.json', JSON.stringify(state)),
    'test-id-attribute': 'data-qa',
    codegen: 'python',
    'console-level': 'error',
    'image-responses': 'omit',
    'file-paths': 'relative',
  };
  const args = [
    ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    '--snapshot-boxes',
  ];
  const [upstream, pwpool] = await Promise.all([
    Peer.upstream(site.origin, args),
    // As a link, the content is compared in its file.
    Peer.pwpool(site.origin, args, { PW_MCP_PROXY_SNAPSHOT_INLINE_KB: '0' }),
  ]);
  await using _upstream = upstream;
  await using _pwpool = pwpool;
  const answers = async (peer: Peer) => {
    const visitor = peer.visitor();
    const texts: string[] = [];
    for (const call of CALLS)
      texts.push(normalise({ ...(await visitor.call(call)), directory: peer.directory, site: site.origin }));
    return texts;
  };
  const [expected, received] = await Promise.all([answers(upstream), answers(pwpool)]);
  expect(received).toEqual(expected);
  const all = expected.join('\n');
  for (const trace of [
    '500,400,Somebody/1,kept=yes,7',
    '<secret>PASSWORD</secret>',
    'get_by_test_id',
    '[box=',
    '8',
  ])
    expect(all).toContain(trace);
});
