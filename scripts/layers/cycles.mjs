/** One line for each circle of imports among files, type-only imports included. */
export function findCycles(sources) {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const done = new Set();
  const path = [];
  const cycles = [];

  function visit(file) {
    if (done.has(file)) return;
    path.push(file);
    for (const { target, line } of byFile.get(file).imports) {
      if (!byFile.has(target)) continue;
      const start = path.indexOf(target);
      if (start === -1) visit(target);
      else
        cycles.push(`${file}:${line}: a circle of imports: ${[...path.slice(start), target].join(' -> ')}`);
    }
    path.pop();
    done.add(file);
  }

  for (const { file } of sources) visit(file);
  return cycles;
}
