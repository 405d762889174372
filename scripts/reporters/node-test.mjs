import { relative } from 'node:path';
import { ROOT } from '../workspace.mjs';
import { failure } from './failure.mjs';

/** What became of a run of Node's tests, as `{ passed, failures }`, each of these as `failure` tells it. */
export default async function* report(events) {
  const failures = [];
  let passed = 0;
  for await (const { type, data } of events) {
    if (data.details?.type === 'suite' || data.skip || data.todo) continue;
    if (type === 'test:pass') passed++;
    if (type === 'test:fail') {
      const { error } = data.details;
      const message = error?.cause?.message ?? error?.message;
      // An assertion of Node tells in its message what differs.
      failures.push(failure(`${relative(ROOT, data.file ?? '')} > ${data.name}`, { message, diff: message }));
    }
  }
  yield JSON.stringify({ passed, failures });
}
