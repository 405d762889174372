import { tsImport } from 'tsx/esm/api';

const PACKAGES = '../../packages';

/** A section a code: what it means, what to do, and the answers of the tests that lead to it, as a model reads them. */
export async function errorList() {
  const { ERROR_CODES, MEANINGS } = await module('core/src/errors.ts');
  const { FAILING } = await module('core/test/upstream/failures/corpus.ts');
  const { PROVOKED } = await module('mcp/test/error-codes/provoked.ts');
  // Without what stands beside a failure, such as the page.
  const texts = [...PROVOKED, ...FAILING].map(({ reads }) =>
    reads.replaceAll(/HOST|CLOSED/g, 'localhost:8080').replace(/\n###[\s\S]*/, ''),
  );
  const examples = [...new Set(texts)];
  return [...ERROR_CODES]
    .sort()
    .map((code) => {
      const { means, next, retryable } = MEANINGS[code];
      const shown = examples.filter((example) => example.startsWith(`${code}:`));
      return [
        `## ${code}`,
        `${means} ${next}${retryable ? ' The same call may succeed later.' : ''}`,
        ...shown.map((example) => `\`\`\`text\n${example}\n\`\`\``),
      ].join('\n\n');
    })
    .join('\n\n');
}

async function module(path) {
  return await tsImport(`${PACKAGES}/${path}`, import.meta.url);
}
