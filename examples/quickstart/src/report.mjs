import { serverPath } from './pwpool.mjs';

/** The visits as a table, one line a session. */
export function visitTable(visits) {
  const head = ['session', 'instance', 'user', 'items', 'calls', 'time'];
  const rows = visits.map(({ session, user, receipt, calls, milliseconds }) => [
    session.sessionId,
    `${session.browser_pool}/${session.browser_instance}`,
    user,
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

/** 12345 milliseconds are "12.3 s". */
export function seconds(milliseconds) {
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
