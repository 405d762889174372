import { relative } from 'node:path';
import { ROOT } from '../workspace.mjs';

/** What became of a run of Node's tests, as `{ passed, failures: [{ test, reason }] }`. */
export default async function* report(events) {
  const failures = [];
  let passed = 0;
  for await (const { type, data } of events) {
    if (data.details?.type === 'suite' || data.skip || data.todo) continue;
    if (type === 'test:pass') passed++;
    if (type === 'test:fail') {
      const { error } = data.details;
      const reason = error?.cause?.message ?? error?.message ?? 'no reason given';
      failures.push({ test: `${relative(ROOT, data.file ?? '')} > ${data.name}`, reason });
    }
  }
  yield JSON.stringify({ passed, failures });
}
