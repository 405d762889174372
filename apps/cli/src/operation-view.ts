import { OPERATIONS, type OperationReport, type ToldStep } from '@pwpool/core/internal';
import { describeError } from './output.js';
import { printable } from './table.js';

/** What is told of an instance while an operation runs, in a line. */
export function describeStep(step: ToldStep): string {
  return printable(`${nameOf(step)}: ${newsOf(step)}`);
}

function newsOf({ operation, phase, status, for: whom, timeoutMs, why, error }: ToldStep): string {
  const participle = participleOf(operation);
  switch (phase) {
    case 'waiting':
      return timeoutMs === undefined
        ? `waits for ${whom}`
        : `waits for ${whom}; taken from its holder after ${timeoutMs / 1000} s`;
    case 'begun':
      return `is being ${participle}`;
    case 'done':
      return `${participle}, ${status}`;
    case 'skipped':
      return `left alone: ${why}`;
    case 'failed':
      return `not ${participle}. ${error ? describeError(error).replaceAll('\n', ' ') : ''}`;
    default:
      return phase;
  }
}

/** What an operation came to; '' if there is nothing to tell but that it is done. */
export function describeReport(operation: string, report: OperationReport): string {
  const { before, after, instances } = report;
  const lines = [
    ...(before === undefined || after === undefined ? [] : [`${plural(before)} before, ${after} now.`]),
    ...(report.changed ? describeChange(report) : []),
  ];
  const failed = instances.filter(({ phase }) => phase === 'failed').length;
  const skipped = instances.filter(({ phase }) => phase === 'skipped').length;
  const done = instances.length - failed - skipped;
  const counts = [
    `${plural(done)} done`,
    ...(skipped > 0 ? [`${skipped} left alone`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  if (instances.length > 0) lines.push(`${operation}: ${counts.join(', ')}.`);
  return lines.map(printable).join('\n');
}

const COSTS: Readonly<Record<string, string>> = {
  'at-once': 'holds now',
  'new-browser': 'holds with the new browsers',
  'next-start': 'holds when the server is started again',
};

function describeChange({
  poolsAdded = [],
  poolsRemoved = [],
  changed = [],
  needsRestart = [],
}: OperationReport): string[] {
  const lines = [
    ...poolsAdded.map((pool) => `${pool}: added`),
    ...poolsRemoved.map((pool) => `${pool}: removed`),
    ...changed.map(({ key, pool, instances, cost }) => {
      const where =
        pool === null ? '' : ` of ${pool}${instances.length > 0 ? `/${instances.join(',')}` : ''}`;
      return `${key}${where}: ${COSTS[cost] ?? cost}`;
    }),
  ];
  const told = new Set(changed.map(({ key }) => key));
  const before = needsRestart.filter((key) => !told.has(key));
  return [
    ...(lines.length > 0 ? lines : ['Nothing differs from what the server runs with.']),
    ...(before.length > 0
      ? [`Changed earlier, and to hold when the server is started again: ${before.join(', ')}`]
      : []),
  ];
}

function nameOf({ pool, instance, alias }: ToldStep): string {
  return `${pool}/${instance}${alias === null ? '' : ` (${alias})`}`;
}

function participleOf(operation: string): string {
  return (
    new Map<string, { participle: string }>(Object.entries(OPERATIONS)).get(operation)?.participle ??
    operation
  );
}

function plural(count: number): string {
  return `${count} instance${count === 1 ? '' : 's'}`;
}
