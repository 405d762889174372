import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/config/capabilities.js';
import { listEmbeddedTools } from '../../src/upstream/embedded-tools.js';
import { leavesPage, navigates, openedAddress, TOOL_NAMES, traitsOf } from '../../src/upstream/tool-table.js';

/** A tool as upstream's own source declares it. */
interface Declared {
  capability: string;
  readOnly: boolean;
  /** Whether it is there to change something. */
  changes: boolean;
  snapshot: boolean;
  acts: boolean;
}

/** Upstream's tools that its MCP server offers, read from its source: no list of theirs tells what a tool does. */
async function readDeclarations(): Promise<Map<string, Declared>> {
  const require = createRequire(import.meta.url);
  const code = await readFile(require.resolve('playwright-core/lib/coreBundle'), 'utf8');
  const declared = new Map<string, Declared>();
  for (const part of code.split(/(?=\n +capability: "[a-z-]+",\n)|\n\/\/ packages\//)) {
    const [, capability, flags, name] =
      /^\n +capability: "([a-z-]+)",\n([\s\S]{0,60}?) +schema: \{\n +name: "(browser_\w+)"/.exec(part) ?? [];
    if (capability === undefined || name === undefined || flags?.includes('skillOnly: true')) continue;
    if (name.startsWith('browser_webmcp_')) continue;
    declared.set(name, {
      capability,
      readOnly: /type: "(?:readOnly|assertion)"/.test(part),
      changes: /type: "(?:input|action)"/.test(part),
      snapshot: /\.setInclude(?:Full)?Snapshot\(|\.ariaSnapshot\(\{ mode: "ai" \}\)/.test(part),
      acts: /\.waitForCompletion\(|\.tab\.navigate\(|\.goBack\(/.test(part),
    });
  }
  return declared;
}

describe('the table of upstream’s tools', () => {
  let declared: Map<string, Declared>;

  beforeAll(async () => {
    declared = await readDeclarations();
  });

  it('has each tool that upstream offers, in its group', () => {
    const ours = Object.fromEntries(TOOL_NAMES.map((name) => [name, traitsOf(name)?.capability]));
    const theirs = Object.fromEntries([...declared].map(([name, { capability }]) => [name, capability]));
    expect(ours).toEqual(theirs);
    expect(TOOL_NAMES).toHaveLength(72);
  });

  it('knows each tool that answers with a snapshot', () => {
    const theirs = [...declared].filter(([, { snapshot }]) => snapshot).map(([name]) => name);
    expect(TOOL_NAMES.filter((name) => traitsOf(name)?.snapshot).sort()).toEqual(theirs.sort());
  });

  it('calls none repeatable that upstream does not call read-only', () => {
    const repeated = TOOL_NAMES.filter((name) => traitsOf(name)?.repeatable);
    expect(repeated.filter((name) => !declared.get(name)?.readOnly)).toEqual([]);
  });

  it('knows each tool that acts on the page: upstream waits after it, or calls it input or action among the core ones', () => {
    const NOT_ON_THE_PAGE = ['browser_close', 'browser_emulate_media'];
    const theirs = [...declared]
      .filter(([name, { acts, changes, capability }]) => {
        const isCore = ['core', 'core-input', 'core-navigation'].includes(capability);
        return acts || (isCore && changes && !NOT_ON_THE_PAGE.includes(name));
      })
      .map(([name]) => name);
    expect(TOOL_NAMES.filter((name) => traitsOf(name)?.acts).sort()).toEqual(theirs.sort());
  });

  it('knows each argument of upstream’s that is an address, a time to wait or a file to write', async () => {
    const READ_FILES = ['browser_run_code_unsafe', 'browser_set_storage_state'];
    const tools = await listEmbeddedTools(CAPABILITIES);
    const having = (argument: string) =>
      tools.filter(({ inputSchema }) => argument in (inputSchema.properties ?? {})).map(({ name }) => name);
    const naming = (trait: 'address' | 'waits' | 'writes', argument: string) =>
      TOOL_NAMES.filter((name) => traitsOf(name)?.[trait] === argument);
    expect(naming('address', 'url').sort()).toEqual(having('url').sort());
    expect(naming('waits', 'time')).toEqual(having('time'));
    expect([...naming('writes', 'filename'), ...READ_FILES].sort()).toEqual(having('filename').sort());
  });

  it('takes a new tab with an address for a navigation', () => {
    expect(navigates('browser_tabs', { action: 'new', url: 'http://a.test' })).toBe(true);
    expect(navigates('browser_tabs', { action: 'new' })).toBe(false);
    expect(navigates('browser_tabs', { action: 'list', url: 'http://a.test' })).toBe(false);
    expect(openedAddress('browser_tabs', { action: 'new', url: 'http://a.test' })).toBe('http://a.test');
    expect(openedAddress('browser_navigate', { url: 'http://b.test' })).toBe('http://b.test');
    expect(openedAddress('browser_click', { url: 'http://b.test' })).toBeUndefined();
    expect(traitsOf('toString')).toBeUndefined();
  });

  it('lets one tool leave a page that has crashed: the navigation in it', () => {
    expect(TOOL_NAMES.filter(leavesPage)).toEqual(['browser_navigate']);
  });
});
