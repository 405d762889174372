import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fillSection } from './generated/markdown.mjs';
import { runMain } from './run.mjs';
import { ROOT } from './workspace.mjs';

/**
 * Runs each command in a terminal, and writes what it prints into docs/cli.md. By hand, on Linux with Chromium and the
 * programs `script` and `stty`, after a change of what commands print; `npm run docs` has the help texts.
 */
const PAGE = 'docs/cli.md';
const COLUMNS = 100;

/** What is typed, in turn, under headlines; `{ show, run }` where the page is to show less than is run. */
const TOUR = {
  'Setting up': [
    'pwpool init --yes --instances 2 --client claude-code',
    'pwpool init --yes --client codex --print',
    'pwpool validate',
    'pwpool validate --set headles=true --set DEFAULT.instances=0',
    'pwpool config --changed',
    'pwpool config keys lease timeout',
    'pwpool config schema | head -4',
    'pwpool doctor',
    'pwpool migrate -- npx @playwright/mcp@latest --isolated --caps=pdf --extension',
    'pwpool completion bash | head -3',
  ],
  'Serving: over stdio, and over HTTP': [
    `echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | pwpool mcp`,
    'pwpool status',
    {
      show: 'pwpool serve --port 8931 &',
      run: 'setsid pwpool serve --port 8931 < /dev/null > serve.log 2>&1 & while ! grep -s Serving serve.log; do sleep 0.1; done',
    },
  ],
  'Calling tools': [
    'pwpool tools | head -5',
    'pwpool tools browser_navigate',
    'pwpool call start_browser sessionId=alice',
    'pwpool call browser_navigate sessionId=alice url=http://localhost:3000/',
    'pwpool call browser_click sessionId=alice target=#missing',
    'pwpool screenshot http://localhost:3000/ --out shop.png',
  ],
  'Looking and operating': [
    'pwpool status',
    { show: 'pwpool status                       # 60 columns', run: 'stty cols 60; pwpool status' },
    "pwpool status --json | jq '.servers[].summary'",
    'pwpool sessions list',
    'pwpool sessions show alice',
    {
      show: 'pwpool events | head -3',
      run: '(sleep 2; pwpool call browser_tabs action=list sessionId=alice >/dev/null; pwpool instances restart DEFAULT/1 >/dev/null) & pwpool events | head -3; wait',
    },
    'pwpool logs --lines 3',
    'pwpool instances restart DEFAULT/1',
    'pwpool instances drain DEFAULT/1',
    'pwpool instances resume DEFAULT/1',
    'pwpool pools scale DEFAULT 3',
    'pwpool reload',
    'pwpool sessions close alice',
    'pwpool pools drain DEFAULT',
    'pwpool stop',
  ],
  Tokens: [
    'pwpool token add ci --pool DEFAULT --calls-per-minute 600 --file tokens.json',
    'pwpool token list --file tokens.json',
    'pwpool token revoke ci --file tokens.json',
  ],
  'Running scripts': [
    'pwpool run titles.yaml --data urls.csv --dry-run',
    {
      show: 'pwpool run titles.yaml --data urls.csv',
      run: 'pwpool run titles.yaml --data urls.csv 2>&1 | cat',
    },
    'pwpool run titles.yaml --data urls.csv --pool SHOP',
  ],
};

const SCRIPT = `steps:
  - tool: browser_navigate
    args: { url: "{{row.url}}" }
    save_as: page
extract: { title: "{{steps.page.title}}" }
`;
const ROWS = 'url\nhttp://localhost:3000/\nhttp://localhost:3000/basket\nhttp://localhost:3000/gone\n';

await runMain(async () => {
  const home = mkdtempSync(join(tmpdir(), 'pwpool-tour-'));
  const shop = join(home, 'shop');
  const site = await serveShop();
  try {
    for (const folder of [shop, join(home, 'bin'), join(home, 'tmp')]) mkdirSync(folder);
    const bin = join(ROOT, 'apps/cli/bin/pwpool.js');
    writeFileSync(join(home, 'bin/pwpool'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(shop, 'titles.yaml'), SCRIPT);
    writeFileSync(join(shop, 'urls.csv'), ROWS);
    const sections = [];
    for (const [title, entries] of Object.entries(TOUR)) {
      const shown = [];
      for (const entry of entries) shown.push(await record(entry, { home, shop }));
      // What is shown may have fences of its own.
      const fence = '`````';
      sections.push(`### ${title}\n\n${fence}console\n${shown.join('\n\n')}\n${fence}`);
    }
    const page = readFileSync(join(ROOT, PAGE), 'utf8');
    writeFileSync(join(ROOT, PAGE), fillSection(PAGE, page, 'output', sections.join('\n\n')));
  } finally {
    site.close();
    rmSync(home, { recursive: true, force: true });
  }
});

/** What a terminal shows of a command. */
async function record(entry, { home, shop }) {
  const { show, run } = typeof entry === 'string' ? { show: entry, run: entry } : entry;
  const typed = `stty cols ${COLUMNS} rows 50; ${run}`;
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    TERM: 'xterm',
    SHELL: '/bin/sh',
    PWPOOL_RUNTIME_DIR: join(home, 'run'),
  };
  const child = spawn('script', ['-qefc', typed, '/dev/null'], {
    cwd: shop,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve) => child.once('close', resolve));
  const text = withPlaceholders(stripVTControlCharacters(output).replaceAll('\r', ''), home).trimEnd();
  const ending = status === 0 ? [] : [`(exit status ${status})`];
  return [`$ ${show}`, ...(text === '' ? [] : [text]), ...ending].join('\n');
}

/** What differs from one run to the next is replaced by what tells as much. */
function withPlaceholders(text, home) {
  return text
    .replaceAll(home, '/home/me')
    .replaceAll(ROOT, '/path/to/pwpool')
    .replaceAll(process.execPath, '/usr/bin/node')
    .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '2026-01-02T10:15:30Z')
    .replaceAll(/pwpool_[\w-]{43}/g, 'pwpool_…')
    .replaceAll(/(Server |server |pid=|"pid": )\d+/g, '$14711');
}

/** The pages of the tour. */
async function serveShop() {
  const pages = { '/': 'Shop', '/basket': 'Basket' };
  const server = createServer(({ url }, response) => {
    const title = pages[url];
    if (url === '/favicon.ico') return response.writeHead(204).end();
    if (title === undefined) return response.destroy();
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${title}</title><h1>${title}</h1><button>Buy</button>`);
  });
  await new Promise((resolve) => server.listen(3000, '127.0.0.1', resolve));
  return server;
}
