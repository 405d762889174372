import * as z from 'zod';
import { ariaTree } from '../aria-tree.js';
import { compactTool } from '../compact-tool.js';
import { findElement } from '../element-target.js';

/** [002-snapshot-01, 002-snapshot-02] */
export const snapshot = compactTool({
  name: 'browser_snapshot',
  description:
    'Read the page as an accessibility tree: the preferred way to see what is there. An element to act on has a ref, good until the next snapshot.',
  readOnly: true,
  input: z.strictObject({
    root: z.string().optional().describe('CSS selector of the part to read'),
    limit: z.int().min(1).max(2_000).default(300).describe('Most nodes'),
    offset: z.int().min(0).default(0).describe('Nodes to skip: nextOffset of the answer before'),
  }),
  output: z.object({ snapshot: z.object({ role: z.string() }), url: z.string() }),
  async run(browser, { root, limit, offset }) {
    const { pages, references, actionTimeoutMs } = browser;
    const page = await pages.page();
    const scope =
      root === undefined ? page : await findElement(browser, page, { selector: root }, actionTimeoutMs);
    const nodes = await scope.ariaSnapshotJSON({ mode: 'ai', timeout: 0 });
    const stamp = references.stamp(page);
    const title = await page.title();
    const { tree, nextOffset } = ariaTree(nodes, { stamp, limit, offset });
    const whole = { role: 'document', name: title, children: tree };
    const [only] = tree;
    const snapshot = root !== undefined && only && tree.length === 1 ? only : whole;
    return { facts: { snapshot, url: page.url(), ...(nextOffset === undefined ? {} : { nextOffset }) } };
  },
});
