import { parseArgs } from 'node:util';
import { runStdio } from './run-stdio.js';
import { VERSION } from './version.js';

const HELP = `Usage: pwpool-mcp [options]

Serves a pool of browsers to one MCP client over stdio. Without configuration: one pool of 4 browsers, each started
when it is first needed. Configure it with PW_MCP_PROXY_… variables or a .env file in the working directory;
"pwpool validate" checks them, "pwpool config" shows what is in force, "pwpool status" shows running servers.

Options:
  -h, --help     show this text
  -v, --version  show the version
`;

function main(): void {
  let values: { help?: boolean | undefined; version?: boolean | undefined };
  try {
    values = parseArgs({
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exitCode = 64;
    return;
  }
  if (values.help) process.stdout.write(HELP);
  else if (values.version) process.stdout.write(`${VERSION}\n`);
  else void runStdio();
}

main();
