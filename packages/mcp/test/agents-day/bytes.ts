/**
 * What an agent's day costs in bytes: the same work through playwright-mcp and through pwpool over stdio. README.md says
 * what each figure means. Exits with 1 when pwpool's answers take more than their floor of playwright-mcp's.
 *
 *   pnpm --filter pwpool-benchmarks bytes [--json] [--transcript]
 */
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { UPSTREAM } from '../differential/peer.js';
import { BIN, temporaryDirectory } from '../fixtures/stdio-server.js';
import { startShop } from './shop.js';

/** At most so much of playwright-mcp's bytes. */
const AT_MOST = 0.2;

/** Characters of an answer in the transcript. */
const EXCERPT = 600;

type Arguments = Readonly<Record<string, unknown>>;

/** A call of the day; its arguments may be taken from the answer before it. */
type Call = readonly [tool: string, args: Arguments | ((before: string) => Arguments)];

interface Errand {
  name: string;
  /** What has to be in the last answer of either. */
  shows: string;
  theirs: readonly Call[];
  ours: readonly Call[];
}

interface Exchange {
  errand: string;
  tool: string;
  args: Arguments;
  bytes: number;
  text: string;
}

const FIELDS = { name: 'Ada', street: 'Analytical Lane 1', town: 'London' };

const refOf = (element: string) => (text: string) => {
  const target = new RegExp(`${element} \\[ref=(\\w+)\\]`).exec(text)?.[1];
  return { target };
};

const errandsAt = (origin: string): readonly Errand[] => {
  const go = (path: string): Call => ['browser_navigate', { url: `${origin}${path}` }];
  const snapshot: Call = ['browser_snapshot', {}];
  const screenshot: Call = ['browser_take_screenshot', { fullPage: true }];
  const click = (target: string): Call => ['browser_click', { target }];
  const type = ([name, text]: [string, string]) =>
    ['browser_type', { target: `[name=${name}]`, text }] as const;
  const fields = Object.entries(FIELDS).map(type);
  const commands = [go('/order'), ...fields, click('text=Send order')];
  return [
    {
      name: 'two parts of a long page',
      shows: 'Item 200"',
      theirs: [go('/catalogue'), snapshot],
      ours: [
        go('/catalogue'),
        [
          'browser_snapshot',
          (text) => ({
            ...JSON.parse(/Next page: browser_snapshot (\{.*?\})/.exec(text)?.[1] ?? '{}'),
            limit: 200,
          }),
        ],
      ],
    },
    {
      name: 'its buttons',
      shows: 'Buy offer 11',
      // It has them from the snapshot before: an agent that keeps it asks nothing.
      theirs: [],
      ours: [
        [
          'browser_snapshot',
          {
            flatten: true,
            jmespath_query: "[?role=='button'].{name: name, ref: ref}",
            output_format: 'json',
          },
        ],
      ],
    },
    { name: 'a picture of it', shows: 'Screenshot of full page', theirs: [screenshot], ours: [screenshot] },
    {
      name: 'a form',
      shows: 'Thanks',
      theirs: [go('/order'), snapshot, ...fields, click('text=Send order'), snapshot],
      ours: [
        [
          'browser_execute_bulk',
          {
            commands: commands.map(([tool, args], index) => ({
              tool,
              args,
              ...(index === commands.length - 1 ? { return_result: true } : {}),
            })),
          },
        ],
      ],
    },
    {
      name: 'a download',
      shows: 'prices.csv',
      theirs: [go('/order'), click('text=Price list')],
      ours: [go('/order'), click('text=Price list')],
    },
    {
      name: 'a click that fails, mended',
      shows: 'Thanks',
      theirs: [
        click('role=button[name="Submit order"]'),
        snapshot,
        ['browser_click', refOf('button "Send order"')],
        snapshot,
      ],
      ours: [click('role=button[name="Submit order"]'), ['browser_click', refOf('button "Send order"')]],
    },
  ];
};

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, transcript: { type: 'boolean', default: false } },
});

/** A client of a server as its users start it, in a directory of its own. */
async function connect(cwd: string, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'benchmark', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TMPDIR: cwd, PWPOOL_RUNTIME_DIR: `${cwd}/run` };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], cwd, env, stderr: 'ignore' }),
  );
  return client;
}

async function spend(
  client: Client,
  errands: readonly Errand[],
  side: 'ours' | 'theirs',
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const errand of errands) {
    for (const [tool, given] of errand[side]) {
      const args = typeof given === 'function' ? given(exchanges.at(-1)?.text ?? '') : given;
      const result = (await client.callTool({ name: tool, arguments: args })) as CallToolResult;
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      exchanges.push({
        errand: errand.name,
        tool,
        args,
        bytes: Buffer.byteLength(JSON.stringify(result)),
        text,
      });
    }
    const last = exchanges.at(-1)?.text ?? '';
    if (errand[side].length > 0 && !last.includes(errand.shows))
      throw new Error(`${side}, ${errand.name}: '${errand.shows}' is missing in ${last.slice(0, EXCERPT)}`);
  }
  return exchanges;
}

/** Chromium refuses to run as root in its sandbox, in which upstream starts it and pwpool does not. */
const BROWSER = ['--headless', '--isolated', '--no-sandbox', '--executable-path', '/usr/bin/chromium'];

async function dayOf(side: 'ours' | 'theirs', origin: string): Promise<Exchange[]> {
  await using directory = await temporaryDirectory();
  const client = await connect(directory.path, side === 'ours' ? [BIN] : [UPSTREAM, ...BROWSER]);
  try {
    return await spend(client, errandsAt(origin), side);
  } finally {
    await client.close();
  }
}

await using shop = await startShop();
const theirs = await dayOf('theirs', shop.origin);
const ours = await dayOf('ours', shop.origin);

const bytesOf = (exchanges: readonly Exchange[]) => exchanges.reduce((sum, { bytes }) => sum + bytes, 0);
const rows = [...new Set(theirs.concat(ours).map(({ errand }) => errand))].map((errand) => {
  const [their, our] = [theirs, ours].map((side) => side.filter((exchange) => exchange.errand === errand));
  return {
    errand,
    theirs: { calls: their?.length ?? 0, bytes: bytesOf(their ?? []) },
    ours: { calls: our?.length ?? 0, bytes: bytesOf(our ?? []) },
  };
});
/** An image is the larger part of either: without it the rest is compared. */
const withoutPicture = (exchanges: readonly Exchange[]) =>
  bytesOf(exchanges.filter(({ tool }) => tool !== 'browser_take_screenshot'));
const total = {
  theirs: bytesOf(theirs),
  ours: bytesOf(ours),
  ratio: bytesOf(ours) / bytesOf(theirs),
  ratioWithoutPicture: withoutPicture(ours) / withoutPicture(theirs),
};

if (options.transcript) {
  for (const [name, exchanges] of Object.entries({ 'playwright-mcp': theirs, pwpool: ours })) {
    console.log(`\n# ${name}`);
    for (const { tool, args, bytes, text } of exchanges)
      console.log(`\n> ${tool} ${JSON.stringify(args)}   (${bytes} bytes)\n${text.slice(0, EXCERPT)}`);
  }
}
if (options.json) console.log(JSON.stringify({ rows, total }, null, 2));
else {
  console.log(['errand'.padEnd(28), 'playwright-mcp'.padStart(20), 'pwpool'.padStart(20)].join(''));
  const cell = ({ calls, bytes }: { calls: number; bytes: number }) =>
    `${bytes} in ${calls} calls`.padStart(20);
  for (const row of rows) console.log(`${row.errand.padEnd(28)}${cell(row.theirs)}${cell(row.ours)}`);
  console.log(
    `\nbytes of pwpool's answers: ${total.ratio.toFixed(3)} of playwright-mcp's, ${total.ratioWithoutPicture.toFixed(3)} without the picture (at most ${AT_MOST})`,
  );
}
if (Math.max(total.ratio, total.ratioWithoutPicture) > AT_MOST) process.exitCode = 1;
