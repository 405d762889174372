import { walk } from './walk.mjs';

const TIMER_MODULES = /^(node:)?(timers(\/promises)?|perf_hooks)$/;
const TIMERS = new Set(['setTimeout', 'setInterval']);
const CLOCK_MEMBERS = new Set(['Date.now', 'performance.now', 'process.hrtime', 'AbortSignal.timeout']);

/** One line for each place where a file reads the system's time or sets a timer itself. */
export function clockUses({ file, program, lineOf, imports }) {
  const found = imports
    .filter(({ specifier }) => TIMER_MODULES.test(specifier))
    .map(({ specifier, line }) => ({ use: specifier, line }));
  walk(program, (node, parent) => {
    const use = clockUse(node, parent);
    if (use) found.push({ use, line: lineOf(node.start) });
  });
  return found.map(
    ({ use, line }) => `${file}:${line}: ${use}: time comes from the injected Clock (clock.ts)`,
  );
}

function clockUse(node, parent) {
  if (node.type === 'NewExpression' && node.callee.name === 'Date' && node.arguments.length === 0) {
    return 'new Date()';
  }
  if (node.type === 'MemberExpression') {
    const property = node.computed ? node.property.value : node.property.name;
    // `globalThis.Date.now` and `Date.now` alike.
    const owner = node.object.name ?? node.object.property?.name;
    const name = `${owner}.${property}`;
    if (CLOCK_MEMBERS.has(name)) return name;
    if (owner === 'globalThis' && TIMERS.has(property)) return property;
  }
  if (node.type === 'Identifier' && TIMERS.has(node.name) && !isName(node, parent)) return node.name;
  return undefined;
}

/** True where an identifier only names a property or an import, or stands in a type. */
function isName(node, parent) {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed;
  if (parent.type === 'TSTypeQuery' || parent.type === 'ImportSpecifier') return true;
  return parent.key === node && !parent.computed;
}
