import type { Reloaded } from './operated-server.js';

/** In one line what a reload has changed, for the log. */
export function describeReload({ poolsAdded, poolsRemoved, changed, needsRestart }: Reloaded): string {
  const keys = [...new Set(changed.filter(({ cost }) => cost !== 'next-start').map(({ key }) => key))];
  const parts = [
    ...(poolsAdded.length > 0 ? [`pools added: ${poolsAdded.join(', ')}`] : []),
    ...(poolsRemoved.length > 0 ? [`pools removed: ${poolsRemoved.join(', ')}`] : []),
    ...(keys.length > 0 ? [`changed: ${keys.join(', ')}`] : []),
    ...(needsRestart.length > 0
      ? [`to hold when the server is started again: ${needsRestart.join(', ')}`]
      : []),
  ];
  return `Reloaded: ${parts.join('; ') || 'nothing differs'}.`;
}
