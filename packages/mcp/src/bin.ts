import { VERSION } from './version.js';

const HELP = `Usage: pwpool-mcp [options]

Serves a pool of browsers to one MCP client over stdio, or with --http or --port to many over HTTP. Without
configuration: one pool of browsers, each started when it is first needed. Configure it with the options below, with
PW_MCP_PROXY_… variables or with a .env file in the working directory; "pwpool validate" checks them, "pwpool config" shows
what is in force, "pwpool status" shows running servers.

      --http     serve over HTTP, on port 8931 of 127.0.0.1
      --shared   have the browsers in one server that all windows of this user share
  -h, --help     show this text
  -v, --version  show the version

`;

const args = process.argv.slice(2);
const asked = (...names: string[]) => names.some((name) => args.includes(name));

if (asked('-h', '--help')) {
  const { optionsHelp } = await import('@pwpool/core/internal');
  process.stdout.write(HELP + optionsHelp());
} else if (asked('-V', '-v', '--version')) {
  process.stdout.write(`${VERSION}\n`);
} else if (asked('--shared-server')) {
  const { runSharedServer } = await import('./run-server.js');
  void runSharedServer(args.filter((arg) => arg !== '--shared-server'));
} else if (asked('--shared')) {
  const { runShared } = await import('./run-shared.js');
  void runShared(args.filter((arg) => arg !== '--shared'));
} else {
  const { runMcp } = await import('./run-server.js');
  void runMcp(args);
}
