import { optionsHelp } from '@pwpool/core/internal';
import { runStdio } from './run-stdio.js';
import { VERSION } from './version.js';

const HELP = `Usage: pwpool-mcp [options]

Serves a pool of browsers to one MCP client over stdio. Without configuration: one pool of 4 browsers, each started
when it is first needed. Configure it with the options below, with PW_MCP_PROXY_… variables or with a .env file in the
working directory; "pwpool validate" checks them, "pwpool config" shows what is in force, "pwpool status" shows running
servers.

  -h, --help     show this text
  -v, --version  show the version

`;

const args = process.argv.slice(2);
const asked = (...names: string[]) => names.some((name) => args.includes(name));

if (asked('-h', '--help')) process.stdout.write(HELP + optionsHelp());
else if (asked('-V', '-v', '--version')) process.stdout.write(`${VERSION}\n`);
else void runStdio(args);
