import { homedir } from 'node:os';
import { join } from 'node:path';

/** An MCP client's way to start a server over stdio. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where things are on this machine. */
export interface Places {
  /** The project: where pwpool's configuration file is. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** An agent's client, and where and how it is told of MCP servers (decision 0460 cites its documentation). */
export interface AgentClient {
  readonly name: string;
  readonly title: string;
  readonly file: (places: Places) => string;
  /** What holds the servers, by name: a member of a JSON file, or a table of a TOML file. */
  readonly section: string;
  readonly format: 'json' | 'toml';
  /** What the entry has beside command and arguments. */
  readonly extra?: Readonly<Record<string, string>>;
  /** How the entry names a file of the project; undefined: the server is started in the project, and finds it itself. */
  readonly fileInProject?: (name: string, places: Places) => string;
}

const inProject =
  (...path: string[]) =>
  ({ project }: Places) =>
    join(project, ...path);
const absolute = (name: string, { project }: Places) => join(project, name);
const ofWorkspace = (name: string) => `\${workspaceFolder}/${name}`;

export const AGENT_CLIENTS: readonly AgentClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: inProject('.mcp.json'),
    section: 'mcpServers',
    format: 'json',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: ({ env, platform }) => join(claudeFolder(env, platform), 'claude_desktop_config.json'),
    section: 'mcpServers',
    format: 'json',
    fileInProject: absolute,
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: inProject('.cursor', 'mcp.json'),
    section: 'mcpServers',
    format: 'json',
    fileInProject: ofWorkspace,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: inProject('.vscode', 'mcp.json'),
    section: 'servers',
    format: 'json',
    extra: { type: 'stdio' },
    fileInProject: ofWorkspace,
  },
  {
    name: 'codex',
    title: 'Codex',
    file: ({ env }) => join(env['CODEX_HOME'] ?? join(home(env), '.codex'), 'config.toml'),
    section: 'mcp_servers',
    format: 'toml',
    fileInProject: absolute,
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    file: inProject('.gemini', 'settings.json'),
    section: 'mcpServers',
    format: 'json',
  },
];

function claudeFolder(env: Places['env'], platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home(env), 'AppData', 'Roaming'), 'Claude');
  if (platform === 'darwin') return join(home(env), 'Library', 'Application Support', 'Claude');
  return join(env['XDG_CONFIG_HOME'] ?? join(home(env), '.config'), 'Claude');
}

function home(env: Places['env']): string {
  return env['HOME'] ?? homedir();
}
