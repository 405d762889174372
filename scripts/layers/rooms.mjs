import { readSources } from './sources.mjs';

/** Where the rooms of core lie. */
export const CORE_SOURCE = 'packages/core/src/';

/**
 * The rooms of core, top to bottom, and what each holds: a room imports only from rows above it, never from its
 * neighbours in a row.
 */
export const CORE_ROWS = [
  { 'errors.ts': '`PwpoolError` and every error code' },
  { 'clock.ts': 'the injected `Clock`: the only place that reads time or sets a timer' },
  {
    'temporary-directory.ts':
      'where temporary files go: the system’s directory, and the folder of a process of its own',
  },
  { 'process-identity.ts': 'whether a process runs, and is still the same one' },
  { 'atomic-file.ts': 'files that are replaced whole or not at all' },
  { waiting: 'the few ways to wait: until a deadline, until aborted, in an abortable line' },
  { bulk: 'many items at a time: retries, order, when to stop. It knows nothing of browsers' },
  { config: 'the table of keys; environment, `.env`, file and flags read into it; rules; `explain`' },
  { principals: 'who a caller is, by its token: what it may use, and how much' },
  { lease: '`LeaseQueue`: who gets which name next. It knows nothing of browsers' },
  { connection: '`PlaywrightSession`: one connection to any Playwright tool server' },
  {
    upstream:
      "all that is known of Playwright's tool server: what each tool does, its failures, mends, references",
  },
  { compact: 'the compact tools: eight, on Playwright itself' },
  { driver: 'the `BrowserDriver` contract, and a folder for each way to get a browser' },
  { instance: 'one browser, its states, and the calls on it with their deadlines' },
  {
    health: 'probing; when to restart and to recycle: pure decisions',
    pressure: 'how short memory and processors are',
  },
  { pool: '`Pool` and `BrowserPools`: who holds which instance, and what is done to it meanwhile' },
  { metrics: '`PoolMetrics`: counts and histograms of what the events tell' },
  {
    session: '`SessionManager` and `Session`: names, owners, expiry, parking; `state/`: what is saved of one',
  },
  {
    tabs: '`TabPool`: the pages of one lease, each lent to one operation at a time',
    sites: '`SiteLimits`: rate and concurrency by site, read from a file',
  },
  {
    artifacts: 'binaries and long texts, stored by their hash',
    snapshot: 'the tree of a page: read, paged, compared',
  },
  { calls: 'the one path of a tool call, from its target to its answer' },
  { toolset: 'the tools on offer, and the check of their arguments' },
  { script: 'scripts of `pwpool run`: read, checked, run' },
  { control: 'how a running server is found and asked' },
  {
    'index.ts': 'what `@pwpool/core` exports to programs',
    'internal.ts': 'what it exports to the packages beside it',
    'light.ts': 'the part of it that a process loads which has to be there at once',
    'first-answers.ts': 'the part of it that a server loads before it tells which tools there are',
  },
];

/** The packages, top to bottom, by the same rule. */
export const PACKAGES = [
  { name: '@pwpool/core', folder: 'packages/core' },
  { name: '@pwpool/mcp', folder: 'packages/mcp' },
  { name: 'pwpool', folder: 'apps/cli' },
];

/**
 * The rooms of core under `root` that have files, then the packages over core, top to bottom. `imports` names the rooms
 * that a room of core imports, and the packages that a package imports.
 */
export function readRooms(root) {
  const sources = readSources(root);
  const rooms = CORE_ROWS.flatMap((row) => Object.entries(row));
  const order = rooms.map(([room]) => room);
  return [
    ...rooms.map(([room, holds]) => {
      const own = sources.filter(({ file }) => coreRoom(file) === room);
      const used = new Set(own.flatMap(({ imports }) => imports.map(({ target }) => coreRoom(target))));
      return {
        room,
        holds,
        ...sizeOf(own),
        imports: order.filter((name) => name !== room && used.has(name)),
      };
    }),
    ...PACKAGES.slice(1).map(({ folder }) => {
      const own = sources.filter(({ file }) => file.startsWith(`${folder}/src/`));
      const used = own.flatMap(({ imports }) => imports.map(({ specifier }) => `${specifier}/`));
      const packages = PACKAGES.map(({ name }) => name);
      const imports = packages.filter((name) => used.some((specifier) => specifier.startsWith(`${name}/`)));
      return { room: folder, ...sizeOf(own), imports };
    }),
  ].filter(({ files }) => files > 0);
}

function sizeOf(sources) {
  return { files: sources.length, lines: sources.reduce((sum, { lines }) => sum + lines, 0) };
}

/** The folder under packages/core/src, or the file that lies directly in it; undefined for a file elsewhere. */
export function coreRoom(file) {
  return file?.startsWith(CORE_SOURCE) ? file.slice(CORE_SOURCE.length).split('/')[0] : undefined;
}

/** The imports of a room in few words: by name, or as all rooms above but the few that it leaves out. */
export function describeImports({ room, imports }, rooms) {
  if (imports.length === 0) return 'nothing';
  const names = rooms.map((other) => other.room);
  const left = names.slice(0, names.indexOf(room)).filter((name) => !imports.includes(name));
  if (imports.length < 4 || 2 * left.length > imports.length) return imports.join(', ');
  return left.length === 0 ? 'all above' : `all above but ${left.join(', ')}`;
}

/** The rooms with their sizes and imports, as `npm run layers` prints them. */
export function formatRooms(rooms) {
  const rows = rooms.map((entry) => [entry.room, entry.files, entry.lines, describeImports(entry, rooms)]);
  const line = ([room, files, lines, imports]) =>
    `${room.padEnd(14)}${String(files).padStart(5)}${String(lines).padStart(8)}  ${imports}`;
  return [['room', 'files', 'lines', 'imports'], ...rows].map(line).join('\n');
}
