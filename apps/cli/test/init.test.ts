import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_CLIENTS } from '../src/agent-clients/clients.js';
import { BIN, Workplace } from './command.js';

async function put(workplace: Workplace, path: string, text: string): Promise<void> {
  const file = join(workplace.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function read(workplace: Workplace, path: string): Promise<string> {
  return await readFile(join(workplace.path, path), 'utf8');
}

const yes = (...clients: string[]) => ['init', '--yes', '--client', ...clients];

test('writes a configuration that is valid and has what was asked for', async () => {
  const workplace = await Workplace.make();
  const args = ['init', '--yes', '--instances', '2', '--browser', 'firefox', '--headed', '--keep-logins'];
  const { status, stdout } = await workplace.runHere(args);
  expect(status).toBe(0);
  expect(stdout).toContain(`Wrote ${workplace.path}/pwpool.config.yaml`);
  expect(stdout).toContain('"mcpServers"');
  const shown = await workplace.runHere(['config', '--env']);
  expect(shown).toMatchObject({ status: 0, stderr: '' });
  expect(shown.stdout.trim().split('\n')).toEqual([
    'PW_MCP_PROXY__DEFAULT_INSTANCES=2',
    'PW_MCP_PROXY__DEFAULT_IS_DEFAULT=true',
    'PW_MCP_PROXY__DEFAULT_LAZY=true',
    'PW_MCP_PROXY__DEFAULT_BROWSER=firefox',
    'PW_MCP_PROXY__DEFAULT_HEADLESS=false',
    'PW_MCP_PROXY__DEFAULT_ISOLATED=false',
  ]);
});

test('a configuration that is there is kept, whatever its form, and a wrong one is not written', async () => {
  const workplace = await Workplace.make({ 'pwpool.config.json': '{"headless":true}' });
  const { status, stdout } = await workplace.runHere(['init', '--yes']);
  expect(status).toBe(0);
  expect(stdout).toContain('Kept pwpool.config.json');
  expect(await read(workplace, 'pwpool.config.json')).toBe('{"headless":true}');
  const empty = await Workplace.make();
  const refused = await empty.runHere(['init', '--yes', '--instances', '0']);
  expect(refused).toMatchObject({ status: 64, stdout: '' });
  expect(refused.stderr).toContain('must be a whole number from 1 to 1000');
  const many = await empty.runHere(['init', '--yes', '--instances', 'many']);
  expect(many).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("'many' is invalid. It is a whole number."),
  });
  expect(await readdir(empty.path)).not.toContain('pwpool.config.yaml');
});

test('every client gets an entry in the place and form of its own, and a second time changes nothing', async () => {
  const workplace = await Workplace.make();
  const variables = {
    HOME: workplace.path,
    XDG_CONFIG_HOME: join(workplace.path, '.config'),
    CODEX_HOME: '',
  };
  delete (variables as Record<string, string>)['CODEX_HOME'];
  const names = AGENT_CLIENTS.map(({ name }) => name);
  expect(await workplace.runHere(yes(...names), variables)).toMatchObject({ status: 0, stderr: '' });
  const node = process.execPath;
  const config = join(workplace.path, 'pwpool.config.yaml');
  const plain = { command: node, args: [BIN, 'mcp'] };
  const ofWorkspace = {
    command: node,
    args: [BIN, 'mcp', '--config', '${workspaceFolder}/pwpool.config.yaml'],
  };
  const absolute = { command: node, args: [BIN, 'mcp', '--config', config] };
  const json = async (path: string): Promise<unknown> => JSON.parse(await read(workplace, path));
  expect(await json('.mcp.json')).toEqual({ mcpServers: { pwpool: plain } });
  expect(await json('.config/Claude/claude_desktop_config.json')).toEqual({
    mcpServers: { pwpool: absolute },
  });
  expect(await json('.cursor/mcp.json')).toEqual({ mcpServers: { pwpool: ofWorkspace } });
  expect(await json('.vscode/mcp.json')).toEqual({ servers: { pwpool: { type: 'stdio', ...ofWorkspace } } });
  expect(await json('.gemini/settings.json')).toEqual({ mcpServers: { pwpool: plain } });
  expect(await read(workplace, '.codex/config.toml')).toBe(
    `[mcp_servers.pwpool]\ncommand = "${node}"\nargs = ["${BIN}", "mcp", "--config", "${config}"]\n`,
  );
  const again = await workplace.runHere(yes(...names), variables);
  expect(again.stdout.match(/knows pwpool already/g)).toHaveLength(names.length);
});

test('all else in a file stays: comments, other servers, its mode, a link', async () => {
  const workplace = await Workplace.make();
  const before = '{\n\t// mine\n\t"servers": { "other": { "command": "x" } }, // last\n}\n';
  await put(workplace, 'shared/mcp.json', before);
  await chmod(join(workplace.path, 'shared/mcp.json'), 0o640);
  await mkdir(join(workplace.path, '.vscode'));
  await symlink('../shared/mcp.json', join(workplace.path, '.vscode/mcp.json'));
  await put(workplace, 'codex/config.toml', 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n');
  const { status } = await workplace.runHere(yes('vscode', 'codex'), {
    CODEX_HOME: join(workplace.path, 'codex'),
  });
  expect(status).toBe(0);
  const after = await read(workplace, 'shared/mcp.json');
  expect(after).toContain('// mine');
  expect(after).toMatch(/"other": \{\s+"command": "x"\s+\}/);
  expect(after).toContain('"pwpool": {');
  expect((await stat(join(workplace.path, 'shared/mcp.json'))).mode & 0o777).toBe(0o640);
  expect(await read(workplace, 'codex/config.toml')).toMatch(
    /^model = "x" # mine\n\n\[mcp_servers\.other\]\ncommand = "y"\n\n\[mcp_servers\.pwpool\]\n/,
  );
  expect(await readdir(join(workplace.path, 'shared'))).toEqual(['mcp.json']);
});

test.each([
  ['another server of that name', '.mcp.json', '{"mcpServers":{"pwpool":{"command":"x"}}}', 'claude-code'],
  ['no JSON', '.mcp.json', '{ "mcpServers": ', 'claude-code'],
  ['servers in a list', '.mcp.json', '{"mcpServers":[]}', 'claude-code'],
  ['another table of that name', 'codex/config.toml', '[mcp_servers."pwpool"]\ncommand = "x"\n', 'codex'],
  ['an inline table', 'codex/config.toml', 'mcp_servers = { other = { command = "x" } }\n', 'codex'],
])('%s is kept, with the entry to put in by hand: 1', async (_, path, text, client) => {
  const workplace = await Workplace.make();
  await put(workplace, path, text);
  const variables = { CODEX_HOME: join(workplace.path, 'codex') };
  const { status, stderr } = await workplace.runHere(yes(client), variables);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Kept .*Put this in by hand:\n/);
  expect(await read(workplace, path)).toBe(text);
});

test('a file that cannot be read is told, with the entry to put in by hand, and the other clients are served: 1', async () => {
  const workplace = await Workplace.make();
  await mkdir(join(workplace.path, '.mcp.json'));
  const { status, stdout, stderr } = await workplace.runHere(yes('claude-code', 'gemini'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Kept .*\.mcp\.json: EISDIR.*Put this in by hand:\n/);
  expect(stdout).toMatch(/"mcpServers"[\s\S]*Added pwpool to Gemini CLI/);
});

test('--print writes nothing; without a terminal and --yes nobody is asked: 64', async () => {
  const workplace = await Workplace.make();
  const printed = await workplace.runHere([...yes('claude-code'), '--print']);
  expect(JSON.parse(printed.stdout)).toMatchObject({ mcpServers: { pwpool: { args: [BIN, 'mcp'] } } });
  expect(await readdir(workplace.path)).not.toContain('pwpool.config.yaml');
  const asked = await workplace.runHere(['init']);
  expect(asked).toMatchObject({ status: 64, stderr: expect.stringContaining('--yes') });
});
