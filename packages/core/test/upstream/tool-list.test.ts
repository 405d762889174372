import { expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/config/capabilities.js';
import { listEmbeddedTools } from '../../src/upstream/embedded-tools.js';
import { TOOL_LIST } from '../../src/upstream/tool-list.js';
import { isOffered } from '../../src/upstream/tool-table.js';

const HOW_TO_MEND = 'Upstream’s tools have changed: run "node scripts/generate-tool-list.mjs".';

it('the tools that are listed are upstream’s own, word for word and in its order, for each group and for all', async () => {
  for (const groups of [[], ...CAPABILITIES.map((group) => [group]), CAPABILITIES]) {
    const listed = TOOL_LIST.filter(({ name }) => isOffered(name, groups));
    expect(listed, HOW_TO_MEND).toEqual(await listEmbeddedTools(groups));
  }
});
