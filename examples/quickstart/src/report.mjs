import { serverPath } from './pwpool.mjs';

/** The visits as a table, one line a user. */
export function visitTable(visits) {
  const head = ['user', 'instance', 'items', 'calls', 'time'];
  const rows = visits.map(({ user, instance, receipt, calls, milliseconds }) => [
    user,
    instance,
    receipt.items.join(', '),
    String(calls),
    seconds(milliseconds),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  return [head, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What the run has shown, in two lines. */
export function comparison(pooledMs, plainMs) {
  const ratio = (plainMs / pooledMs).toFixed(1);
  return [
    `Through pwpool the four shopped at once, each in a browser of their own: ${seconds(pooledMs)}.`,
    `Through plain playwright-mcp, in turn, the same took ${seconds(plainMs)}, ${ratio} times as long.`,
  ].join('\n');
}

/** 12345 milliseconds are "12.3 s". */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** How to add this pwpool to an agent's client, one line for each kind of client. */
export function clientSetup() {
  const entry = { mcpServers: { pwpool: { command: 'node', args: [serverPath] } } };
  return [
    `Claude Code:             claude mcp add pwpool -- node ${serverPath}`,
    `Cursor, Claude Desktop:  ${JSON.stringify(entry)}`,
  ].join('\n');
}
